import type { Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import type { EffectiveAgent } from './effective-queries.ts'
import type { AdapterConfig } from './entities.ts'
import type { AgentChanges } from './schemas.ts'
import { type AgentRow, merged, type OwnSettings } from './settings.ts'

/** The settings of a version with the secret of the present. */
export function adapterBack(
  agent: AgentRow,
  { authValue, ...settings }: NonNullable<OwnSettings['adapterConfig']>,
): Partial<AdapterConfig> {
  const { webhookUrl, authValueSealed } = agent.adapterConfig ?? {}
  if (authValue === undefined) return settings
  if (authValueSealed === undefined || originOf(settings.webhookUrl) !== originOf(webhookUrl))
    throw invalid('adapterConfig.authValue', 'Its webhook needs a secret, which is kept in no version')
  return { ...settings, authValueSealed }
}

export function adapterOf(
  txn: Transaction,
  agent: AgentRow,
  changes: NonNullable<AgentChanges['adapterConfig']>,
): Partial<AdapterConfig> {
  const { authValue, timeoutMs, ...plain } = changes
  const own = agent.adapterConfig ?? {}
  const moved = plain.webhookUrl !== undefined && originOf(plain.webhookUrl) !== originOf(own.webhookUrl)
  if (moved && own.authValueSealed !== undefined && authValue === undefined) {
    // Else anyone who may set the URL could have the secret sent to a place of their own.
    throw invalid('adapterConfig.authValue', 'The URL names another host: give the secret for it as well')
  }
  return {
    ...merged(own, plain),
    ...(timeoutMs !== undefined && { timeoutSec: Math.ceil(timeoutMs / 1_000) }),
    ...(authValue !== undefined && {
      authValueSealed: txn.services.encryptor.encrypt(authValue, agent.tenantId),
    }),
  }
}

export function checkAgentWebhook({ adapterType, adapterConfig }: EffectiveAgent): void {
  const { webhookUrl, authHeader, authValueSealed } = adapterConfig
  if (adapterType === 'adapter_b' && !webhookUrl) {
    throw new DomainError(
      'VALIDATION_ERROR',
      'An external runtime needs the URL that its work is posted to',
      {
        field: 'adapterConfig.webhookUrl',
      },
    )
  }
  if ((authHeader === undefined) === (authValueSealed === undefined)) return
  const missing = authHeader === undefined ? 'authHeader' : 'authValue'
  throw invalid(`adapterConfig.${missing}`, 'A header and its value belong together')
}

export function checkAgentCommand(
  txn: Transaction,
  { adapterType, adapterConfig }: EffectiveAgent,
  tenantId: string,
): void {
  if (adapterType !== 'adapter_a') return
  const problem = txn.services.commands.problemWith(adapterConfig.command, tenantId)
  if (problem !== undefined) throw invalid('adapterConfig.command', problem)
}

export function withoutSecret({ adapterConfig, ...agent }: EffectiveAgent) {
  const { authValueSealed, ...rest } = adapterConfig
  return { ...agent, adapterConfig: { ...rest, hasAuthValue: authValueSealed !== undefined } }
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin
}
