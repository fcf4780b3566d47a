import type { CopydeskOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl } from './parts.ts'
import type { Config } from './schema.ts'
import type { Setting } from './settings.ts'

const Hosted = () =>
  z.strictObject({
    provider: z.enum(['hosted_a', 'hosted_b']),
    keyId: text(),
    keySecret: text(),
    webhookSecrets: z.array(text()).min(1, 'needs one secret').max(2, 'has room for two secrets'),
    baseUrl: webUrl().optional(),
  })

/** `payments` of the configuration. */
export const Payments = () =>
  z.discriminatedUnion('provider', [Hosted(), z.strictObject({ provider: z.literal('manual') })])
export type Payments = z.output<ReturnType<typeof Payments>>

export const paymentSettings: readonly Setting[] = [
  { path: 'payments.provider', env: ['COPYDESK_PAYMENTS_PROVIDER'], kind: 'text' },
  { path: 'payments.keyId', env: ['COPYDESK_PAYMENTS_KEY_ID'], kind: 'text' },
  { path: 'payments.keySecret', env: ['COPYDESK_PAYMENTS_KEY_SECRET'], kind: 'text', secret: true },
  { path: 'payments.webhookSecrets', env: ['COPYDESK_PAYMENTS_WEBHOOK_SECRETS'], kind: 'list', secret: true },
  { path: 'payments.baseUrl', env: ['COPYDESK_PAYMENTS_BASE_URL'], kind: 'text' },
]

/** The provider in the form that the core expects; undefined where people see to the payments. */
export function toPaymentOptions({ payments }: Pick<Config, 'payments'>): CopydeskOptions['payments'] {
  if (!payments || payments.provider === 'manual') return undefined
  const { baseUrl, ...hosted } = payments
  return { ...hosted, ...(baseUrl !== undefined && { baseUrl }) }
}

/** The provider may be reached through a server in a private network: the operator who configures one wants it to be called. */
export function hostsOfPayments({ payments }: Pick<Config, 'payments'>): string[] {
  return payments && payments.provider !== 'manual' && payments.baseUrl
    ? [new URL(payments.baseUrl).host]
    : []
}
