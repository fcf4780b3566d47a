import { H3, readBody, toNodeHandler } from 'h3'
import { createPasswords } from '../../packages/core/src/platform/crypto/password.ts'
import { listen, settings } from '../servers/answer.ts'

/** The least that a login can be: one comparison of the password with its hash. */
const { hash } = settings<{ hash: string }>()
const passwords = createPasswords()

const app = new H3()
  .post('/login', async (event) => {
    const { password } = (await readBody<{ password: string }>(event)) ?? { password: '' }
    return { matches: await passwords.verifyPassword(hash, password) }
  })
  .get('/health', () => ({ status: 'ok' }))
listen(toNodeHandler(app))
