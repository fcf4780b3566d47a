import type { SmsServiceOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl } from './parts.ts'
import type { Config } from './schema.ts'
import type { Setting } from './settings.ts'

/** `sms` of the configuration. */
export const Sms = () =>
  z.strictObject({
    accountSid: text(),
    authToken: text(),
    from: z
      .string()
      .regex(
        /^(?:\+[1-9]\d{6,14}|MG[0-9a-f]{32})$/,
        'must be a number such as +4930123456, or a messaging service (MG…)',
      ),
    baseUrl: webUrl().optional(),
  })
export type Sms = z.output<ReturnType<typeof Sms>>

export const smsSettings: readonly Setting[] = [
  { path: 'sms.accountSid', env: ['COPYDESK_SMS_ACCOUNT_SID'], kind: 'text' },
  { path: 'sms.authToken', env: ['COPYDESK_SMS_AUTH_TOKEN'], kind: 'text', secret: true },
  { path: 'sms.from', env: ['COPYDESK_SMS_FROM'], kind: 'text' },
  { path: 'sms.baseUrl', env: ['COPYDESK_SMS_BASE_URL'], kind: 'text' },
]

/** The settings in the form that the core expects. */
export function toSms({ sms }: Pick<Config, 'sms'>): SmsServiceOptions | undefined {
  if (!sms) return undefined
  const { baseUrl, ...rest } = sms
  return { ...rest, ...(baseUrl !== undefined && { baseUrl }) }
}

/** The service may be in a private network: the operator who configures one wants it to be called. */
export function hostsOfSms({ sms }: Pick<Config, 'sms'>): string[] {
  return sms?.baseUrl === undefined ? [] : [new URL(sms.baseUrl).host]
}
