import { isDeepStrictEqual } from 'node:util'
import { vendor } from '../kit/vendors.ts'
import type { ProtobufModule, ProtoType } from './modules.ts'

const version = 'google.ads.googleads.v25.'
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The published schema of Google Ads. */
export function googleAdsSchema() {
  const { Root } = vendor<ProtobufModule>('protobufjs')
  const root = Root.fromJSON(vendor<object>('google-ads-node/build/protos/protos.json'))
  return {
    /** What a message in JSON has that the schema does not, or has otherwise. */
    faults(name: string, json: unknown): string[] {
      const type = root.lookupType(version + name)
      const given = toFields(json) as object
      const read = type.toObject(type.fromObject(given), { longs: String, enums: String })
      // What is not known is dropped when it is read.
      return isDeepStrictEqual(plain(read), plain(given))
        ? []
        : [`${JSON.stringify(plain(read))} is left of ${JSON.stringify(plain(given))}`]
    },
    /** Whether a message has a field. @param path with dots */
    hasField(name: string, path: string): boolean {
      let type: ProtoType | null = root.lookupType(version + name)
      for (const part of path.split('.')) {
        const field: ProtoType['fields'][string] | undefined = type?.fields?.[part]
        if (!field) return false
        type = field.resolve().resolvedType
      }
      return true
    },
  }
}

/** The names of a schema in place of those of JSON; a mask is one text in JSON. */
function toFields(value: unknown, name = ''): unknown {
  if (name === 'updateMask') return { paths: String(value).split(',').map(snake) }
  if (Array.isArray(value)) return value.map((one) => toFields(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [snake(key), toFields(one, key)]))
}

/** Without prototypes, and without what is not set: it is the same on the wire. */
function plain(value: unknown): unknown {
  const json = JSON.stringify(value, (_, one: unknown) => (one === false ? undefined : one))
  return JSON.parse(json) as unknown
}
