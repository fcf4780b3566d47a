import { createCopydesk } from '@copydesk/core'
import type { Installation } from '../installation.ts'
import { listen, settings, stallOf } from './answer.ts'

const {
  approvalIds = [],
  working = false,
  ...installation
} = settings<Installation & { approvalIds?: string[]; working?: boolean }>()

/** A whole instance as it serves in production. Without the worker what is measured is the answer alone. */
const copydesk = await createCopydesk({
  ...installation,
  worker: working && { concurrency: 4 },
  writerPaceMs: 0,
})
await copydesk.start()
// As a second after the start of a server; how long that takes is measured by `start`.
await copydesk.loadRest()

/** A verdict, of which everybody who follows the tenant is told. */
const push = async () => {
  const id = approvalIds.shift()
  if (id) await copydesk.asSystem().approvals.resolve(id, { resolution: 'approved' })
}
listen((req, res) => copydesk.node(req, res), { push: () => stallOf(push) })
