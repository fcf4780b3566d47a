import type { Command } from 'commander'
import { wrongUsage } from './failure.ts'
import { connectionOf, outputOf } from './session.ts'

/** Opens the terminal client. @throws Failure without a terminal or a login */
export async function openClient(command: Command): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw wrongUsage(
      'The terminal client needs a terminal. `copydesk --help` lists the commands for scripts.',
    )
  const connection = await connectionOf(command, outputOf(command))
  const { openTerminal } = await import('../screens/open.tsx')
  const { draftsOf } = await import('../account/drafts.ts')
  const { openHistory } = await import('../account/history.ts')
  const { client, context, tenantId } = connection
  const { audience, tenant } = context
  const narrowed = tenantId === undefined ? {} : { tenantId }
  await openTerminal({
    client,
    ...(audience && tenant && { own: { audience, tenant } }),
    place: connection.describe(),
    past: await openHistory(process.env),
    drafts: draftsOf(process.env, connection),
    ...narrowed,
  })
}
