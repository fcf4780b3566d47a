import { z } from 'zod'
import { upload } from '../../packages/core/src/gateway/upload.ts'
import { createRig, listen, team } from './rig.ts'

/** A server that takes uploads, as a program of its own. Prints its port. */
const put = upload({
  id: 'd.put',
  route: 'POST /files',
  summary: 'Upload',
  access: team,
  files: { files: { maxBytes: 1 << 20 } },
  reply: { 201: z.object({ size: z.number() }) },
}).handle((_ctx, { files }) => ({ size: files.files[0]?.size ?? 0 }))

const { gateway } = createRig([put])
const { port } = await listen(gateway.node)
process.stdout.write(`${port}\n`)
