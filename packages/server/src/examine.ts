import { chmodSync, existsSync, statfsSync } from 'node:fs'
import type { Finding } from '@copydesk/core'
import type { Config } from './config/schema.ts'
import { areSecretsExposed, secretsFile } from './config/secrets.ts'
import { explain } from '@copydesk/terminal/failure'
import { ensureDataDir } from './setup.ts'

/** Below this much free space a warning is due before writes begin to fail, bytes. */
const littleSpace = 200 * 1024 * 1024

/**
 * Looks at what lies around the database: data folder, free space, rights of the secrets file.
 * @param repair closes a secrets file that others can read
 */
export function examineMachine(config: Config, repair: boolean): Finding[] {
  const { dataDir } = config
  const findings = [folder(dataDir)]
  if (!existsSync(dataDir)) return findings
  findings.push(space(dataDir))
  if (!existsSync(secretsFile(dataDir))) return findings
  const file = secretsFile(dataDir)
  const wasExposed = areSecretsExposed(dataDir)
  if (wasExposed && repair) chmodSync(file, 0o600)
  const exposed = wasExposed && !repair
  findings.push({
    name: 'secrets file',
    ok: !exposed,
    message: exposed
      ? `other users can read ${file}`
      : wasExposed
        ? 'was readable by others, is closed now'
        : 'only its owner can read it',
    ...(exposed && { remedy: `Run \`chmod 600 ${file}\`, or \`copydesk doctor --repair\`.` }),
  })
  return findings
}

function folder(dataDir: string): Finding {
  const name = 'data folder'
  if (!existsSync(dataDir)) {
    const remedy = 'Run `copydesk up` once, or name the right folder with --data-dir.'
    return { name, ok: false, message: `${dataDir} does not exist`, remedy }
  }
  try {
    ensureDataDir(dataDir)
    return { name, ok: true, message: `${dataDir} can be written` }
  } catch (error) {
    return { name, ok: false, message: explain(error).message }
  }
}

function space(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const ok = free >= littleSpace
  const message = `${Math.floor(free / 1024 / 1024)} MB free`
  return {
    name: 'disk space',
    ok,
    message,
    ...(!ok && { remedy: 'Free some space: writes are refused when it is used up.' }),
  }
}
