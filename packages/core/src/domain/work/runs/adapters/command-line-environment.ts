import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Ctx } from '../../../../kernel/context.ts'
import type { CommandOptions } from '../commands/options.ts'
import { fill, type Values } from '../commands/template.ts'
import { taskToken } from '../lifecycle/authorize-run.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import { concatenated } from '../skills-for-agents.ts'

/** A folder that lasts, of one command for one tenant: no other tenant's run is given it. */
export function homeOf(ctx: Ctx, command: string, tenantId: string): Promise<string> {
  return ctx.services.commands.folders.lasting(join(command, tenantId))
}

/** What the placeholders of a command stand for in one run. */
export function valuesOf(
  ctx: Ctx,
  dispatch: Dispatch,
  { cwd, home, sessionId }: { cwd: string; home: string; sessionId: string },
): Values {
  const { agent } = dispatch
  return {
    prompt: dispatch.prompt,
    systemPrompt: dispatch.systemPrompt,
    skills: concatenated(dispatch.skills),
    model: dispatch.model,
    maxTurns: String(agent.adapterConfig.maxTurnsPerRun),
    sessionId,
    wakeReason: dispatch.wakeReason,
    agentRole: agent.role,
    runId: dispatch.runId,
    tenantId: dispatch.tenantId,
    baseUrl: ctx.services.settings.baseUrl,
    cwd,
    home,
  }
}

/**
 * The whole environment of a command: a few variables that show a program its way, those that its operator names, and the
 * way back to this run. Nothing else of the server's own gets there.
 */
export async function environmentOf(
  ctx: Ctx,
  command: CommandOptions,
  values: Values,
  dispatch: Dispatch,
): Promise<Record<string, string>> {
  const own = Object.entries(command.env ?? {}).map(([name, text]) => [name, fill(text, values)] as const)
  return {
    ...placeholderValues(ctx, command, values),
    ...Object.fromEntries(own),
    COPYDESK_TASK_TOKEN: await taskToken(ctx, dispatch),
    COPYDESK_BASE_URL: values.baseUrl,
    COPYDESK_RUN_ID: values.runId,
    COPYDESK_TENANT_ID: values.tenantId,
    COPYDESK_AGENT_ROLE: values.agentRole,
    COPYDESK_WAKE_REASON: values.wakeReason,
    ...(values.sessionId !== '' && { COPYDESK_SESSION_ID: values.sessionId }),
  }
}

/** Where a program finds itself, with or without a run. */
export function placeholderValues(
  ctx: Ctx,
  command: CommandOptions,
  { cwd, home }: Pick<Values, 'cwd' | 'home'>,
): Record<string, string> {
  const temporary = join(cwd, '.tmp')
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  return {
    HOME: home,
    TMPDIR: temporary,
    TERM: 'dumb',
    NO_COLOR: '1',
    ...ctx.services.commands.inherited(command),
  }
}
