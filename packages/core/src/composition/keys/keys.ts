import type { Ctx } from '../../kernel/context.ts'
import { Setting } from '../../kernel/entities.ts'
import type { Encryptor } from '../../platform/crypto/encryptor.ts'
import { type Database, DatabaseError } from '../../platform/database/database.ts'
import { settingValue } from './queries.ts'
import type { Visit } from './sealed.ts'

/**
 * Encrypts everything again that is sealed with another key than the current one. May be broken off and done again, and
 * goes on while the installation works.
 * @returns how many texts were sealed again
 */
export async function reencrypt(ctx: Ctx): Promise<number> {
  const { encryptor } = ctx.services
  let count = 0
  await visitEncrypted(ctx, (sealed, aad) => {
    if (!encryptor.needsRotation(sealed)) return undefined
    count += 1
    return encryptor.encrypt(encryptor.decrypt(sealed, aad), aad)
  })
  return count
}

/** How many sealed texts each encryption key still has to open, by the id of the key. */
export async function keysInUse(ctx: Ctx): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  await visitEncrypted(ctx, (sealed) => {
    const id = ctx.services.encryptor.keyOf(sealed)
    counts[id] = (counts[id] ?? 0) + 1
    return undefined
  })
  return counts
}

/** Only for this is it needed what subjects seal, and not when a server starts. */
async function visitEncrypted(ctx: Ctx, visit: Visit): Promise<void> {
  const sealed = await import('./sealed.ts')
  await sealed.visitEncrypted(ctx, visit)
}

const name = 'encryption_key_proof'
const proof = 'copydesk'

/**
 * Makes sure that what is sealed in this database can be opened with the configured key: the first start leaves a sealed
 * word, every later one opens it.
 * @throws DatabaseError when the key is another one
 */
export async function proveKey(db: Database, encryptor: Encryptor): Promise<void> {
  const stored = await settingValue(db.sql, name)
  if (stored === undefined) {
    return db.unitOfWork('all', async (em) => {
      em.create(Setting, { name, value: encryptor.encrypt(proof, name) })
    })
  }
  try {
    if (encryptor.decrypt(stored, name) === proof) return
  } catch (error) {
    throw wrongKey(error)
  }
  throw wrongKey()
}

function wrongKey(cause?: unknown): DatabaseError {
  return new DatabaseError(
    'The encryption key is not the one that this database was set up with. Put the old key back, or restore the backup that belongs to this key.',
    { cause },
  )
}
