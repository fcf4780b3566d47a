import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AssistantAccess } from '../../packages/core/src/kernel/context.ts'
import { createAssistants } from '../../packages/server/src/mcp/assistants.ts'
import { brief, createTestApp, type Team, type TestApp } from './app.ts'
import { silent } from './database.ts'

/** An instance that listens, also for assistants, as a server does. */
export interface Office extends AsyncDisposable {
  url: string
  /** Lets no one in any more and waits for who is there. */
  drain(): Promise<void>
}

export async function openAssistant(
  app: TestApp,
  { corsOrigins = [], now }: { corsOrigins?: string[]; now?: () => number } = {},
): Promise<Office> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const assistants = createAssistants({
    copydesk: app.copydesk,
    config: { corsOrigins, baseUrl: url },
    log: silent,
    ...(now && { now }),
  })
  server.on('request', (req, res) => {
    if (!assistants.takes(req, res)) void app.copydesk.node(req, res)
  })
  return {
    url,
    drain: assistants.drain,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A key with which an assistant acts for someone. */
export async function assistantKey(
  app: TestApp,
  userId: string,
  assistantAccess: AssistantAccess = 'decide',
) {
  const made = await app.copydesk.asSystem().apiKeys.create({ userId, name: 'Assistant', assistantAccess })
  return { ...made, credential: `ApiKey ${made.key}` }
}

/** Orders a piece. @returns the approval that waits then */
export async function pendingApproval(app: TestApp, team: Team): Promise<string> {
  await team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  return app.until(async () => {
    const { data } = await team.reviewer.call('cli', 'GET /approvals', {
      query: { 'filter.status': 'pending', tenantId: team.tenantId },
    })
    return data[0]?.id
  }, 'an approval is pending')
}

/** An office with one question that waits, and the credential of an assistant that may decide on it. */
export async function openQuestion() {
  await using stack = new AsyncDisposableStack()
  const app = stack.use(await createTestApp())
  const office = stack.use(await openAssistant(app))
  const team = await app.team()
  const id = await pendingApproval(app, team)
  const { credential } = await assistantKey(app, team.reviewerId)
  const owned = stack.move()
  return { app, office, team, id, credential, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export async function statusOf(team: Team, id: string): Promise<string> {
  return (await team.reviewer.call('cli', 'GET /approvals/:id', { params: { id } })).status
}

/** Answers an assistant's question as its person does, with a login. @returns the status of the consent */
export async function answerConsent(team: Team, id: string | undefined, agreed = true): Promise<string> {
  const { status } = await team.reviewer.call('cli', 'POST /consents/:id/answer', {
    params: { id: id ?? '' },
    body: { agreed },
  })
  return status
}

/** The assistants that the record names for an act, newest first. */
export async function assistantsOf(app: TestApp, action: string): Promise<Array<string | null>> {
  const { data } = await app.copydesk.asSystem().audit.list({ 'filter.action': action })
  return data.map(({ assistant }) => assistant)
}

/** How a client is that connects. */
export interface Manner {
  /** The revision that it speaks: one that says in each request who it is, or one that says it once. Default the newer. */
  era?: 'modern' | 'legacy'
  /** Its person, who is asked; without one the client cannot ask. */
  person?: (message: string) => 'accept' | 'decline'
}

/** A client such as assistants have. */
export function createAssistantClient({ era = 'modern', person }: Manner = {}): Client {
  const client = new Client(
    { name: 'claude-desktop', version: '1.2' },
    {
      capabilities: { ...(person && { elicitation: {} }) },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  if (person)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const action = person(params.message)
      return action === 'accept' ? { action, content: {} } : { action }
    })
  return client
}

/** Connects over HTTP; closed with `await using`. */
export async function connectAssistant(
  { url }: Pick<Office, 'url'>,
  credential: string,
  manner: Manner = {},
): Promise<Client & AsyncDisposable> {
  const client = createAssistantClient(manner)
  const headers = { authorization: credential }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

export interface Told {
  /** Its texts as one. */
  text: string
  failed: boolean
  data: { done?: boolean; notice?: string; reply?: unknown; consent?: string; line?: string }
}

/** What a tool answers. */
export async function ask(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Told> {
  const answer = (await client.callTool({ name, arguments: given })) as CallToolResult
  const { content, structuredContent = {}, isError = false } = answer
  const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n')
  return { text, failed: isError, data: structuredContent as Told['data'] }
}
