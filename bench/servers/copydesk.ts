import { createCopydesk } from '@copydesk/core'
import type { Installation } from '../installation.ts'
import { listen, settings, stallOf } from './answer.ts'

const { approvalIds = [], ...installation } = settings<Installation & { approvalIds?: string[] }>()

/** A whole instance as it serves in production, without the worker: what is measured is the answer. */
const copydesk = await createCopydesk({ ...installation, worker: false })
await copydesk.start()

/** A verdict, of which everybody who follows the tenant is told. */
const push = async () => {
  const id = approvalIds.shift()
  if (id) await copydesk.asSystem().approvals.resolve(id, { resolution: 'approved' })
}
listen((req, res) => copydesk.node(req, res), { push: () => stallOf(push) })
