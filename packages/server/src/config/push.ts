import type { PushOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl } from './parts.ts'
import type { Setting } from './settings.ts'

/** `push` of the configuration. */
export const Push = () =>
  z.strictObject({
    android: z
      .strictObject({ serviceAccount: text(), baseUrl: webUrl().optional(), tokenUrl: webUrl().optional() })
      .optional(),
    ios: z
      .strictObject({
        keyId: text(),
        teamId: text(),
        key: text(),
        topic: text(),
        baseUrl: z.url({ protocol: /^https$/, error: 'must be a URL that starts with https://' }).optional(),
        ca: text().optional(),
      })
      .optional(),
  }) satisfies z.ZodType<PushOptions>
export type Push = z.output<ReturnType<typeof Push>>

const setting = (path: string, rest: Pick<Setting, 'secret'> = {}): Setting => ({
  path: `push.${path}`,
  env: [
    `COPYDESK_PUSH_${path
      .replace(/([A-Z])/g, '_$1')
      .replace('.', '_')
      .toUpperCase()}`,
  ],
  kind: 'text',
  shownWhenSet: true,
  ...rest,
})

/** The settings of push services, each with its environment variable. */
export const pushSettings: readonly Setting[] = [
  setting('android.serviceAccount', { secret: true }),
  setting('android.baseUrl'),
  setting('android.tokenUrl'),
  setting('ios.keyId'),
  setting('ios.teamId'),
  setting('ios.key', { secret: true }),
  setting('ios.topic'),
  setting('ios.baseUrl'),
  setting('ios.ca'),
]

/** A self-hosted relay may be in a private network: the operator who configures one wants it to be called. */
export function hostsOfPush({ android }: Push): string[] {
  return [android?.baseUrl, android?.tokenUrl].flatMap((one) =>
    one === undefined ? [] : [new URL(one).host],
  )
}
