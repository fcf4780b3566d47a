import type { StorageOptions } from '@copydesk/core'
import { z } from 'zod'
import { text } from './parts.ts'
import type { Setting } from './settings.ts'

/** `storage` of the configuration. What is wrong within the URL, the core says. */
export const Storage = () =>
  z
    .strictObject({
      url: z
        .string()
        .regex(/^(?:s3:\/\/.|(?![a-z][a-z0-9+.-]*:\/\/).)/i, 'must be a folder, or start with s3://')
        .optional(),
      accessKeyId: text().optional(),
      secretAccessKey: text().optional(),
    })
    .superRefine(({ url, accessKeyId, secretAccessKey }, { addIssue }) => {
      const missing = (path: string) => addIssue({ code: 'custom', path: [path], message: 'is missing' })
      const isBucket = url?.startsWith('s3://') === true
      if (accessKeyId === undefined && (isBucket || secretAccessKey !== undefined)) missing('accessKeyId')
      if (secretAccessKey === undefined && (isBucket || accessKeyId !== undefined)) missing('secretAccessKey')
    })
export type Storage = z.output<ReturnType<typeof Storage>>

export const storageSettings: readonly Setting[] = [
  { path: 'storage.url', env: ['COPYDESK_STORAGE_URL'], kind: 'text' },
  {
    path: 'storage.accessKeyId',
    env: ['COPYDESK_STORAGE_ACCESS_KEY_ID'],
    kind: 'text',
    secret: true,
  },
  {
    path: 'storage.secretAccessKey',
    env: ['COPYDESK_STORAGE_SECRET_ACCESS_KEY'],
    kind: 'text',
    secret: true,
  },
]

/** The settings in the form that the core expects. */
export function toStorage({ url, accessKeyId, secretAccessKey }: Storage): StorageOptions {
  return {
    ...(url !== undefined && { url }),
    ...(accessKeyId !== undefined && { accessKeyId }),
    ...(secretAccessKey !== undefined && { secretAccessKey }),
  }
}
