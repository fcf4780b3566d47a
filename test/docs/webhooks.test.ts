import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { webhookEvents } from '../../packages/core/src/domain/delivery/webhooks/entities.ts'
import {
  newSecret,
  signedHeaders,
  webhookBody,
} from '../../packages/core/src/domain/delivery/webhooks/message.ts'
import { restMs } from '../../packages/core/src/domain/delivery/webhooks/policy.ts'

const page = await readFile(fileURLToPath(new URL('../../docs/webhooks.md', import.meta.url)), 'utf8')

type ReadEvent = (secret: string, headers: Record<string, string>, body: string) => unknown

it('docs/webhooks.md has an example that accepts exactly valid signatures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'copydesk-docs-'))
  try {
    const file = join(folder, 'receiver.mjs')
    await writeFile(file, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    const { readEvent } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      readEvent: ReadEvent
    }
    const secret = newSecret()
    const at = new Date()
    const body = webhookBody('approval_created', at, { approvalId: 'é' })
    const message = { messageId: '01JZ8K3V9Q4W5X6Y7Z8A9B0C1D', body }
    const headers = signedHeaders([secret], message, at)
    const event = { id: 'msg_01JZ8K3V9Q4W5X6Y7Z8A9B0C1D', ...JSON.parse(body) }
    expect(readEvent(secret, headers, body)).toEqual(event)
    const rotated = signedHeaders([newSecret(), secret], message, at)
    expect(readEvent(secret, rotated, body)).toEqual(event)
    const old = signedHeaders([secret], message, new Date(at.getTime() - 301_000))
    const { 'webhook-signature': _, ...unsigned } = headers
    expect([
      readEvent(newSecret(), headers, body),
      readEvent(secret, headers, `${body} `),
      readEvent(secret, { ...headers, 'webhook-id': 'msg_another' }, body),
      readEvent(secret, { ...headers, 'webhook-timestamp': 'now' }, body),
      readEvent(secret, old, body),
      readEvent(secret, unsigned, body),
    ]).toEqual(Array.from({ length: 6 }, () => undefined))
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('docs/webhooks.md names every event, and the retry delay', () => {
  for (const type of webhookEvents) expect(page).toContain(`\`${type}\``)
  expect([1, 2, 3, 4, 5, 6, 7].map((failures) => restMs(failures) / 1_000)).toEqual([
    5, 30, 120, 600, 1_800, 3_600, 3_600,
  ])
})
