import type { Client } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import {
  type ModelReply,
  type ModelScript,
  type ModelServer,
  startAnthropicLike,
} from '../../kit/model-servers.ts'
import { pricedModel } from '../../kit/runtime.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { readStream, type Told } from '../../kit/sse.ts'

/** What the knowledge base of the tests says. */
export const oats = 'Morning Oats are rolled oats with hazelnuts and no added sugar.'
export const delivery = 'The bakery delivers to offices in Bristol before eight in the morning.'

/** An answer as its reader got it. */
export interface Heard {
  text: string
  last: Told | undefined
  /** Of `completed`. */
  conversationId: string
  messageId: string
}

export interface ChatHarness extends AsyncDisposable {
  app: TestApp
  team: Team
  server: ModelServer
  datasetId: string
  /** Uploads a text and waits until it is searched. @returns its id */
  addFile(name: string, text: string, of?: Team): Promise<string>
  fileOf(id: string): { params: { datasetId: string; fileId: string } }
}

/** An installation with a knowledge base, whose model answers by a script; without one it has no model. */
export async function createChat(
  script?: ModelScript,
  changes: Partial<CopydeskOptions> & { allowErrors?: boolean } = {},
  moreModels: readonly string[] = [],
): Promise<ChatHarness> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startAnthropicLike(script ?? []))
  const provider = {
    id: 'one',
    type: 'hosted_a' as const,
    apiKey: 'k',
    baseUrl: server.url,
    models: [pricedModel, ...moreModels],
  }
  const app = stack.use(
    await createTestApp({ allowHosts: ['127.0.0.1'], ...(script && { providers: [provider] }), ...changes }),
  )
  const team = await app.team('Hearth')
  const datasetOf = async ({ admin }: Team) =>
    (await admin.call('dashboard', 'GET /knowledge-base/datasets')).data[0]?.id ?? ''
  const datasetId = await datasetOf(team)
  const addFile: ChatHarness['addFile'] = async (name, text, of = team) => {
    const { uploadedFiles } = await addKnowledge(of.admin, await datasetOf(of), { [name]: text })
    const id = uploadedFiles[0]?.id ?? ''
    // The job is written once more after its file is indexed.
    const indexed = `select id from knowledge_files where id = ? and status = 'indexed'
      and not exists (select 1 from job where kind = 'knowledge.ingest' and status in ('waiting', 'running'))`
    await app.until(() => app.db.sql.get(indexed, [id]), 'the file is indexed')
    return id
  }
  const owned = stack.move()
  return {
    app,
    team,
    server,
    datasetId,
    addFile,
    fileOf: (fileId) => ({ params: { datasetId, fileId } }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The same with the two texts above in its knowledge base. */
export async function createBakery(...given: Parameters<typeof createChat>) {
  await using stack = new AsyncDisposableStack()
  const chat = stack.use(await createChat(...given))
  const oatsId = await chat.addFile('oats.md', `# Products\n\n${oats}`)
  const deliveryId = await chat.addFile('delivery.md', `# Delivery\n\n${delivery}`)
  const owned = stack.move()
  return { ...chat, oatsId, deliveryId, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Opens the stream of an answer. */
export function openAnswer(
  { app }: Pick<ChatHarness, 'app'>,
  token: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  return app.fetch('/dashboard/v1/chat/message', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** Asks as the admin, and reads to the end. */
export async function ask(
  chat: Pick<ChatHarness, 'app' | 'team'>,
  message: string,
  more: object = {},
): Promise<Heard> {
  const told = await readStream(await openAnswer(chat, chat.team.adminToken, { message, ...more }))
  const last = told.at(-1)
  const deltas = told.filter(({ event }) => event === 'text_delta')
  return {
    text: deltas.map(({ data }) => data['delta']).join(''),
    last,
    conversationId: String(last?.data['conversationId'] ?? ''),
    messageId: String(last?.data['messageId'] ?? ''),
  }
}

export const conversation = (by: Client, conversationId: string) =>
  by.call('dashboard', 'GET /chat/conversations/:conversationId', { params: { conversationId } })

/** A call of one tool. */
export const call = (name: string, input: object): ModelReply => ({
  toolCalls: [{ id: `${name}-1`, name, input }],
})

/** Everything that a request told the model. */
export const promptOf = (server: ModelServer, at: number) =>
  JSON.stringify(server.calls[at]?.body.messages ?? '')
