import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Reply } from '@copydesk/client'
import { withTenant } from '../account/own-tenant.ts'
import { operations } from '../operations/catalogue.ts'
import type { AnyOperation, Desk, Line } from '../operations/operation.ts'
import { mayRun } from '../operations/rights.ts'
import { printed } from '../paper/row.ts'
import { narrowed } from '../shell/input.ts'
import { atTheOtherEnd } from './assistant.ts'
import { agreement, refusal, shownOf } from './consent.ts'
import { framed, notice, tidyReply } from './frame.ts'
import { toolInput } from './input.ts'
import { whatWentWrong } from './trouble.ts'

/** What a credential stands for, as the server tells it. */
export type Caller = Reply<'cli', 'GET /me'>

/** What tools work with. */
export interface Office {
  /**
   * A desk whose requests are marked as those of this assistant.
   * @param consent id of the consent that an act is carried out under: what was agreed to once is done once
   */
  deskFor(assistant: string, consent?: string): Desk
  caller: Caller
  /** The address of the server, at which a person can agree. */
  where: string
  /** What can be narrowed to a tenant is, unless another one is named. */
  tenantId?: string
  /** Called by this name where a client tells none. */
  fallbackName: string
  /** Told of faults that are ours; the assistant only hears that there was one. */
  onFault(error: unknown): void
}

const columns = 160

type Answer = CallToolResult | InputRequiredResult

/**
 * Makes a tool of each operation that the credential lets an assistant do. Reads answer at once. Everything else is done
 * only when a person has agreed to it as it stands: asked by the client, where it can, or at the server with a login. Nothing
 * that a tool takes or answers with stands for that.
 */
export function registerTools(server: McpServer, office: Office): void {
  for (const operation of operations) {
    if (operation.secret || !mayRun({}, operation) || !isAllowed(operation, office.caller)) continue
    const reads = operation.does === 'reads'
    server.registerTool(
      operation.name,
      {
        title: operation.name,
        description: described(operation),
        inputSchema: toolInput(operation),
        annotations: {
          readOnlyHint: reads,
          destructiveHint: operation.does === 'decides',
          idempotentHint: reads,
          openWorldHint: false,
        },
      },
      async (given: Line['input'], ctx: ServerContext): Promise<Answer> => {
        try {
          return await (reads ? read : act)({ server, office, operation, given, ctx })
        } catch (error) {
          const told = whatWentWrong(error)
          if (told !== undefined) return refusal(told)
          office.onFault(error)
          return refusal('Something went wrong that should not. Look at what was done before you try again.')
        }
      },
    )
  }
}

function isAllowed({ does }: AnyOperation, { assistantAccess }: Caller): boolean {
  return assistantAccess === 'decide' || (assistantAccess === 'read' && does === 'reads')
}

function described({ summary, does, examples }: AnyOperation): string {
  const text = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  const lines = `As a command: ${examples.join(' | ')}.`
  if (does === 'reads') return `${text} Changes nothing. ${lines}`
  return `${text} ${lines} A person has to agree to this before it is done. Either the person is asked directly, or the first call only tells what would be done and where the person can agree, outside of this conversation: show that to the person, and repeat the call with the same input once the person says that it is given. You cannot agree in the person's place.`
}

interface Call {
  server: McpServer
  office: Office
  operation: AnyOperation
  given: Line['input']
  ctx: ServerContext
}

async function read({ server, office, operation, given, ctx }: Call): Promise<Answer> {
  const { name } = atTheOtherEnd(server, ctx, office.fallbackName)
  const desk = office.deskFor(name)
  const input = await withTenant(operation, desk, narrowed(operation, given, office.tenantId))
  return told(operation, await operation.run(desk, input as never), desk)
}

async function act({ server, office, operation, given, ctx }: Call): Promise<Answer> {
  const { deskFor, fallbackName } = office
  const { name, asks } = atTheOtherEnd(server, ctx, fallbackName)
  const desk = deskFor(name)
  const meant = await withTenant(operation, desk, narrowed(operation, given, office.tenantId))
  const input = (await operation.settled?.(desk, meant as never)) ?? meant
  const shown = await shownOf(operation, input, desk)
  const agreed = await agreement({ desk, shown, name, asks, ctx, where: office.where })
  if ('answer' in agreed) return agreed.answer
  const result = await operation.run(deskFor(name, agreed.consent), input as never, shown.pieces)
  return told(operation, result, desk)
}

function told(operation: AnyOperation, result: unknown, desk: Desk): CallToolResult {
  const rows = operation.print(result as never, { width: columns, now: desk.now() })
  return {
    content: [{ type: 'text', text: framed(printed(rows, false)) }],
    structuredContent: { done: true, notice, reply: tidyReply(result) },
  }
}
