import { unwatchFile, watchFile } from 'node:fs'
import type { Copydesk, Keys, Logger } from '@copydesk/core'
import type { Config } from './config/schema.ts'
import { readSecrets, secretsFile } from './config/secrets.ts'

/** A running server uses rotated keys within this many milliseconds. */
export const reloadMs = 2_000

/** Where the keys come from. */
export type KeySource = Pick<Config, 'dataDir' | 'keysFromFile' | keyof Keys>

/**
 * The current keys: from the secrets file where that is their source, otherwise from the configuration.
 * @returns undefined when the file cannot be read at this moment: the server keeps its keys
 */
export function currentKeys({
  dataDir,
  encryptionKeys,
  signingKeys,
  keysFromFile,
}: KeySource): Keys | undefined {
  try {
    const secrets = readSecrets(dataDir)
    if (!secrets) return undefined
    const fromFile = keysFromFile.map((name) => [name, secrets[name]])
    return { encryptionKeys, signingKeys, ...(Object.fromEntries(fromFile) as Partial<Keys>) }
  } catch {
    return undefined
  }
}

/** Loads rotated keys into a running server. @returns a function that stops this */
export function followKeys(copydesk: Copydesk, config: Config, log: Logger): () => void {
  if (config.keysFromFile.length === 0) return () => undefined
  const file = secretsFile(config.dataDir)
  const look = () => {
    const keys = currentKeys(config)
    if (!keys) return log.error('The secrets file cannot be read; the keys in use stay', { file })
    copydesk.keys.replace(keys)
    log.info('the keys were reloaded', {
      signing: keys.signingKeys.map(({ id }) => id),
      encryption: keys.encryptionKeys.map(({ id }) => id),
    })
  }
  watchFile(file, { interval: reloadMs }, look)
  return () => unwatchFile(file, look)
}
