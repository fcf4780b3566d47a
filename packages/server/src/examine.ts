import { chmodSync, existsSync, statfsSync, statSync } from 'node:fs'
import type { Finding } from '@copydesk/core'
import { explain } from '@copydesk/terminal/failure'
import type { Loaded } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { areSecretsExposed, secretsFile } from './config/secrets.ts'
import { closeFiles, exposedFiles } from './file-modes.ts'
import { ensureDataDir } from './setup.ts'

/** Free space below which a warning is reported before writes begin to fail, bytes. */
const littleSpace = 200 * 1024 * 1024

/**
 * Checks the environment of the database: data folder, free space, permissions of the files.
 * @param repair restricts the permissions of files that others can read
 */
export function examineMachine({ config, file, sources }: Loaded, repair: boolean): Finding[] {
  const { dataDir } = config
  const findings = [folder(dataDir), ...configFile(file, sources)]
  if (!existsSync(dataDir)) return findings
  findings.push(space(dataDir), fileModes(config, repair))
  if (!existsSync(secretsFile(dataDir))) return findings
  const secrets = secretsFile(dataDir)
  const wasExposed = areSecretsExposed(dataDir)
  if (wasExposed && repair) chmodSync(secrets, 0o600)
  const exposed = wasExposed && !repair
  findings.push({
    name: 'secrets file',
    ok: !exposed,
    message: exposed
      ? `other users can read ${secrets}`
      : wasExposed
        ? 'was readable by others, its permissions are restricted now'
        : 'only its owner can read it',
    ...(exposed && { remedy: `Run \`chmod 600 ${secrets}\`, or \`copydesk doctor --repair\`.` }),
  })
  return findings
}

/**
 * A configuration file that contains keys must not be world-readable; its group may be the one that the
 * server runs as.
 */
function configFile(file: string | undefined, sources: Loaded['sources']): Finding[] {
  const name = 'configuration file'
  if (file === undefined || process.platform === 'win32') return []
  const holdsKeys = [...sources].some(
    ([path, source]) => source === `file ${file}` && /key|secret|password|account|url$/i.test(path),
  )
  if (!holdsKeys || (statSync(file).mode & 0o007) === 0)
    return [{ name, ok: true, message: `${file} is valid` }]
  const remedy = `Run \`chmod o= ${file}\`.`
  return [
    { name, ok: false, message: `all users of this machine can read ${file}, which contains keys`, remedy },
  ]
}

function fileModes(config: Config, repair: boolean): Finding {
  const name = 'file modes'
  const exposed = exposedFiles(config)
  if (exposed.length === 0)
    return { name, ok: true, message: 'only the owner can read the database and files' }
  const list = exposed.join(', ')
  if (!repair) {
    const remedy = `Run \`chmod go= ${exposed.join(' ')}\`, or \`copydesk doctor --repair\`.`
    return { name, ok: false, message: `other users can read ${list}`, remedy }
  }
  closeFiles(exposed)
  return { name, ok: true, message: `permissions restricted: ${list}` }
}

function folder(dataDir: string): Finding {
  const name = 'data folder'
  if (!existsSync(dataDir)) {
    const remedy = 'Run `copydesk up` once, or name the right folder with --data-dir.'
    return { name, ok: false, message: `${dataDir} does not exist`, remedy }
  }
  try {
    ensureDataDir(dataDir)
    return { name, ok: true, message: `${dataDir} is writable` }
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
    ...(!ok && { remedy: 'Free some space: writes fail when the disk is full.' }),
  }
}
