import type { ServerResponse } from 'node:http'
import { listen, stallOf } from '../servers/answer.ts'

/** Event streams as few lines of node make them. */
const open = new Set<ServerResponse>()
let seq = 0

const push = () => {
  const data = JSON.stringify({
    approvalId: '01JZ8K3V9Q4W5X6Y7Z8A9B0C1D',
    status: 'approved',
    type: 'content_review',
  })
  const frame = Buffer.from(`id: ${++seq}\nevent: approval_resolved\ndata: ${data}\n\n`)
  for (const res of open) res.write(frame)
}

listen(
  (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    res.flushHeaders()
    open.add(res)
    res.on('close', () => open.delete(res))
  },
  { push: () => stallOf(async () => push()) },
)
