import type { Ctx } from '../../../../kernel/context.ts'
import type { OutboundResponse } from '../../../../platform/http/client.ts'
import type { OutboundError } from '../../../../platform/http/outbound-error.ts'
import { familyOfOutbound, familyOfStatus, parseRetryAfter } from '../../../../platform/models/families.ts'
import { ModelError } from '../../../../platform/models/port.ts'
import { taskToken } from '../lifecycle/authorize-run.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import { releaseToRuntime } from '../queue/lease.ts'
import { concatenated } from '../skills-for-agents.ts'
import type { Adapter } from './adapters.ts'
import { checkWebhook } from './webhook-check.ts'

/**
 * An external runtime: the dispatch is posted to its URL, it answers 202 and later calls back with the task token. It has
 * until the deadline; a process of ours need not live that long.
 */
export const webhookAdapter: Adapter = {
  check: checkWebhook,

  async start(ctx: Ctx, dispatch: Dispatch, signal: AbortSignal) {
    const { webhookUrl, authHeader, authValueSealed } = dispatch.agent.adapterConfig
    if (!webhookUrl) throw new ModelError('invalid', `${dispatch.agent.name} has no webhookUrl`)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-request-id': ctx.trace.requestId,
    }
    if (authHeader && authValueSealed)
      headers[authHeader] = ctx.services.encryptor.decrypt(authValueSealed, dispatch.tenantId)
    const response = await ctx.services.http
      .request(webhookUrl, {
        method: 'POST',
        headers,
        body: JSON.stringify(await payload(ctx, dispatch)),
        // Elsewhere no one knows the secret, and a POST may arrive as a GET without a body.
        redirect: 'manual',
        timeoutMs: 15_000,
        signal,
      })
      .catch((error: OutboundError) => {
        throw new ModelError(familyOfOutbound(error), `The runtime could not be reached: ${error.message}`)
      })
    // No one reads the body; unread it would hold the connection.
    await response.body.cancel()
    if (response.status >= 300) throw refusal(response, ctx.clock.now())
    // The result may be here already: the runtime did not have to wait until its 202 has reached us.
    await releaseToRuntime(ctx, dispatch)
    return 'accepted'
  },
}

const isRedirect = (status: number) => status >= 300 && status < 400

function refusal({ status, headers }: OutboundResponse, now: number): ModelError {
  const family = familyOfStatus(status)
  if (family === 'auth') return new ModelError(family, `The runtime refused the dispatch with ${status}`)
  if (isRedirect(status)) {
    return new ModelError(
      family,
      `The runtime answered ${status}, a redirect, and those are not followed: set webhookUrl to the final address`,
    )
  }
  const retryAfterMs = parseRetryAfter(headers.get('retry-after') ?? undefined, now)
  const options = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new ModelError(family, `The runtime answered ${status}`, options)
}

/** The dispatch as the contract words it. */
async function payload(ctx: Ctx, dispatch: Dispatch) {
  const { runId, tenantId } = dispatch
  return {
    taskId: runId,
    tenantId,
    agentRole: dispatch.agent.role,
    prompt: dispatch.prompt,
    systemPrompt: dispatch.systemPrompt,
    skillsContext: concatenated(dispatch.skills),
    wakeReason: dispatch.wakeReason,
    sessionId: dispatch.sessionId,
    callbackUrl: `${ctx.services.settings.baseUrl}/agent/v1/callback/${runId}`,
    taskToken: await taskToken(ctx, dispatch),
    timeoutMs: dispatch.timeoutMs,
  }
}
