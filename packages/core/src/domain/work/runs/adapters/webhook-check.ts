import { isIP } from 'node:net'
import type { Ctx } from '../../../../kernel/context.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import type { OutboundResponse } from '../../../../platform/http/client.ts'
import type { OutboundError, OutboundReason } from '../../../../platform/http/outbound-error.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { AdapterCheck } from './adapters.ts'

const pass = (name: string, detail: string): AdapterCheck => ({ name, ok: true, detail })
const fault = (name: string, detail: string): AdapterCheck => ({ name, ok: false, detail })

/** Looks whether an external runtime can be reached, takes our secret, and could call back. Gives it no work. */
export async function checkWebhook(ctx: Ctx, agent: EffectiveAgent): Promise<AdapterCheck[]> {
  const { webhookUrl } = agent.adapterConfig
  if (!webhookUrl)
    return [fault('webhookUrl', 'No URL is configured: set adapterConfig.webhookUrl to where work is posted')]
  const url = new URL(webhookUrl)
  const secret = secretOf(ctx, agent)
  const checks = [transport(url), secret.check, callback(ctx, url)]
  return [...(await reach(ctx, webhookUrl, secret)), ...checks]
}

interface Secret {
  check: AdapterCheck
  headers: Record<string, string>
}

function secretOf(ctx: Ctx, { adapterConfig }: EffectiveAgent): Secret {
  const { authHeader, authValueSealed } = adapterConfig
  const name = 'secret'
  if (!authHeader || !authValueSealed) {
    const detail =
      'None is set: the runtime cannot tell our work from that of others. Set authHeader and authValue'
    return { check: pass(name, detail), headers: {} }
  }
  try {
    const value = ctx.services.encryptor.decrypt(authValueSealed, oneTenant(ctx))
    return { check: pass(name, `sent in ${authHeader}`), headers: { [authHeader]: value } }
  } catch {
    const detail = 'It cannot be opened with the keys of this installation: set authValue again'
    return { check: fault(name, detail), headers: {} }
  }
}

/** Asks with the secret: it goes to where work goes, and redirects are not followed. */
async function reach(ctx: Ctx, url: string, { headers }: Secret): Promise<AdapterCheck[]> {
  const name = 'webhookUrl'
  try {
    const response = await ctx.services.http.request(url, {
      method: 'HEAD',
      headers,
      redirect: 'manual',
      timeoutMs: 5_000,
    })
    await response.body.cancel()
    return [verdict(name, response, headers)]
  } catch (error) {
    const { reason, message } = error as OutboundError
    return [fault(name, `${message}${hints[reason] ?? ''}`)]
  }
}

const hints: Partial<Record<OutboundReason, string>> = {
  address: ' Name the host in allowHosts of the installation if it is to be called.',
  dns: ' Check the name in webhookUrl.',
  connect: ' Check that the runtime listens there, and the firewalls in between.',
  timeout: ' Check that the runtime listens there, and the firewalls in between.',
}

/** A runtime need not know HEAD; that it answers at all is what counts. */
function verdict(
  name: string,
  { status, headers }: OutboundResponse,
  secret: Secret['headers'],
): AdapterCheck {
  if (status === 401 || status === 403) {
    const why = Object.keys(secret).length > 0 ? 'it refuses the secret' : 'it wants a secret'
    return fault(name, `It answers ${status}: ${why}. Set authHeader and authValue to what it expects`)
  }
  if (status >= 500) return fault(name, `It answers ${status}: look into the log of the runtime`)
  if (status >= 300 && status < 400)
    return fault(
      name,
      `It answers ${status}, a redirect, and those are not followed: set webhookUrl to ${headers.get('location') ?? 'the final address'}`,
    )
  if (status === 404) return pass(name, 'It answers 404 to HEAD: check the path if work is refused')
  return pass(name, `It answers ${status}`)
}

function transport({ protocol, hostname }: URL): AdapterCheck {
  const open = protocol === 'http:' && !isLocal(hostname)
  const detail = open ? 'http: prompts, texts and tokens can be read on the way. Use https' : 'encrypted'
  return pass('transport', open ? detail : protocol === 'http:' ? 'http on this machine' : detail)
}

function callback(ctx: Ctx, { hostname }: URL): AdapterCheck {
  const name = 'callback'
  const { baseUrl } = ctx.services.settings
  const own = new URL(baseUrl).hostname
  if (isLocal(own) && !isLocal(hostname))
    return fault(
      name,
      `The runtime is told to call back at ${baseUrl}, which leads to its own machine: set baseUrl to where this installation is reached from outside`,
    )
  return pass(name, `expected at ${baseUrl}`)
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}
