import { ModelError } from '../../../platform/models/port.ts'
import type { Ctx } from '../../context.ts'
import { releaseToRuntime } from '../../runs/release.ts'
import type { Dispatch } from '../../runs/begin.ts'
import type { EffectiveAgent } from '../effective-queries.ts'
import type { Adapter } from './adapters.ts'

/**
 * An external runtime: the dispatch is posted to its URL, it answers 202 and later calls back with the task token. It has
 * until the deadline; a process of ours need not live that long.
 */
export const webhookAdapter: Adapter = {
  async check(ctx: Ctx, agent: EffectiveAgent) {
    const url = agent.adapterConfig.webhookUrl
    if (!url) return [{ name: 'webhookUrl', ok: false, detail: 'No webhookUrl is configured' }]
    try {
      const response = await ctx.services.http.request(url, { method: 'HEAD', timeoutMs: 5_000 })
      return [{ name: 'webhookUrl', ok: response.status < 500, detail: `answers ${response.status}` }]
    } catch (error) {
      return [{ name: 'webhookUrl', ok: false, detail: (error as Error).message }]
    }
  },

  async start(ctx: Ctx, dispatch: Dispatch) {
    const { webhookUrl, authHeader, authValueSealed } = dispatch.agent.adapterConfig
    if (!webhookUrl) throw new ModelError('invalid', `${dispatch.agent.name} has no webhookUrl`)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-request-id': ctx.trace.requestId,
    }
    if (authHeader && authValueSealed)
      headers[authHeader] = ctx.services.box.open(authValueSealed, dispatch.tenantId)
    // From here on the runtime may answer at any moment, also before its 202 has reached us.
    await releaseToRuntime(ctx, dispatch)
    const response = await ctx.services.http
      .request(webhookUrl, {
        method: 'POST',
        headers,
        body: JSON.stringify(payload(ctx, dispatch)),
        timeoutMs: 15_000,
      })
      .catch((error: Error) => {
        throw new ModelError('transient', `The runtime could not be reached: ${error.message}`)
      })
    if (response.status === 401 || response.status === 403)
      throw new ModelError('auth', `The runtime refused the dispatch with ${response.status}`)
    if (response.status >= 300)
      throw new ModelError(
        response.status >= 500 ? 'transient' : 'invalid',
        `The runtime answered ${response.status}`,
      )
    return 'accepted'
  },
}

/** The dispatch as the contract words it. */
function payload(ctx: Ctx, dispatch: Dispatch) {
  const { runId, attempt, tenantId, deadline } = dispatch
  return {
    taskId: runId,
    tenantId,
    agentRole: dispatch.agent.role,
    prompt: dispatch.prompt,
    systemPrompt: dispatch.systemPrompt,
    skillsContext: '',
    wakeReason: dispatch.wakeReason,
    sessionId: null,
    callbackUrl: `${ctx.services.settings.baseUrl}/agent/v1/callback/${runId}`,
    taskToken: ctx.services.tokens.sign('task', {
      sub: runId,
      attempt,
      exp: Math.ceil(deadline.getTime() / 1000),
    }),
    timeoutMs: dispatch.timeoutMs,
  }
}
