import { Socket } from 'node:net'
import { type CopydeskOptions, createCopydesk } from '@copydesk/core'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { type Installation, lookInto, waitFor } from '../installation.ts'
import { answer, settings } from './answer.ts'

/** A worker of an installation: it begins when it is told to, with an agent that answers at once, or word by word. */
const {
  tenantId,
  adminId,
  concurrency = 32,
  writerPaceMs = 0,
  ...installation
} = settings<
  Installation & { tenantId: string; adminId: string; concurrency?: number; writerPaceMs?: number }
>()
const options: CopydeskOptions = {
  ...installation,
  log: silentLogger,
  worker: { concurrency },
  writerPaceMs,
}
const copydesk = await createCopydesk(options)
const db = await lookInto(installation)

/** Journeys to PostgreSQL, by whichever pool: statements that are sent together make one. */
let roundTrips = 0
const writing = Socket.prototype as unknown as Record<'_write' | '_writev', (...given: unknown[]) => void>
for (const name of ['_write', '_writev'] as const) {
  const write = writing[name]
  writing[name] = function counted(this: Socket, ...given) {
    roundTrips += 1
    Reflect.apply(write, this, given)
  }
}

const actor = { id: adminId, type: 'human', role: 'admin', appAccess: ['dashboard'], tenantId } as const
const count = async (where: string) =>
  Number((await db.sql.get<{ n: number }>(`select count(*) as n from runs where ${where}`))?.n)

answer({
  begin: async () => {
    await copydesk.start()
    return true
  },
  roundTrips: () => roundTrips,
  left: () => count('open = true'),
  /** When each run ended, the first one first; milliseconds. */
  ends: async () => {
    const rows = await db.sql.all<{ completed_at: number | Date }>(
      'select completed_at from runs order by completed_at',
    )
    return rows.map(({ completed_at }) => Number(completed_at))
  },
  /** Orders pieces one at a time: milliseconds from the moment when each run was written down to that of its start. */
  waits: async () => {
    const before = await count('1 = 1')
    const wanted = 200
    for (let i = 1; i <= wanted; i += 1) {
      await copydesk.as(actor).call('dashboard.campaigns.create', {
        body: {
          name: `One ${i}`,
          brief: '# One\n\nHearth & Oat is a bakery.\n',
          deliverables: [{ type: 'social_post', quantity: 1 }],
        },
      })
      await waitFor(async () => (await count('completed_at is not null')) === before + i, 'a run has ended')
    }
    const rows = await db.sql.all<{ started_at: number | Date; created_on: number | Date }>(
      'select started_at, created_on from runs order by id desc limit 200',
    )
    return rows.map(({ started_at, created_on }) => Number(started_at) - Number(created_on))
  },
})
process.send?.({ port: 0 })
