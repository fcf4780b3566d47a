import { type CopydeskOptions, createCopydesk, createLogger, type Principal } from '@copydesk/core'

/** A process that uses the token of a channel each time that it is told to; started by `token-users.ts`. */
export interface TokenUserTask {
  options: Omit<CopydeskOptions, 'log' | 'clock' | 'onUndeclaredError'>
  principal: Principal
  channelId: string
}

/** It is there, or has begun with what it was told to do, or has done it; `error` says why it could not. */
export type TokenUserSays = { said: 'ready' | 'begun' } | { said: 'ended'; error?: string }

const { options, principal, channelId } = JSON.parse(process.argv[2] ?? '{}') as TokenUserTask
const copydesk = await createCopydesk({ ...options, log: createLogger({ level: 'silent' }), worker: false })
const admin = copydesk.as(principal)
const say = (words: TokenUserSays) => void process.send?.(words)

async function use(): Promise<TokenUserSays> {
  say({ said: 'begun' })
  for (;;) {
    try {
      await admin.call('dashboard.channels.accounts', { params: { channelId } })
      return { said: 'ended' }
    } catch (error) {
      // On SQLite nobody waits longer than some seconds for other processes: on a busy machine the next try does it.
      if (!String(error).includes('is locked by another program'))
        return { said: 'ended', error: String(error) }
    }
  }
}

process.on('message', () => void use().then(say))
process.once('disconnect', () => process.exit())
say({ said: 'ready' })
