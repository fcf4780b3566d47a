import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A WordPress that can be started, with the host of its MariaDB as PHP names it; or why there is none. */
export type FoundWordPress = { databaseHost: string } | { databaseHost?: undefined; reason: string }

/** Where Debian puts it (`apt install wordpress php-cli php-mysql php-gd php-xml php-mbstring php-curl mariadb-server`). */
export const wordPressFolder = '/usr/share/wordpress'

/** Where a MariaDB may be: by TCP, and at the socket that PHP knows. */
const databaseHosts = ['127.0.0.1', 'localhost']

/** Takes a host and a statement, and prints the first column of what is found, or a fault. */
const script = `
if (!extension_loaded('mysqli')) exit(json_encode(['fault' => 'PHP has no mysqli']));
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
try {
  $db = mysqli_init();
  $db->options(MYSQLI_OPT_CONNECT_TIMEOUT, 5);
  $db->real_connect($argv[1], 'root', '');
  $found = $db->query($argv[2]);
  echo json_encode(['found' => $found === true ? [] : array_column($found->fetch_all(), 0)]);
} catch (mysqli_sql_exception $e) { echo json_encode(['fault' => $e->getMessage()]); }`

/** Finds WordPress, PHP, and a MariaDB that lets `root` in without a password. */
export async function findWordPress(folder = wordPressFolder, php = 'php'): Promise<FoundWordPress> {
  if (!existsSync(join(folder, 'wp-includes', 'version.php'))) return { reason: 'it is not installed' }
  const faults: string[] = []
  for (const databaseHost of databaseHosts) {
    try {
      await inMariaDb(databaseHost, 'select 1', php)
      return { databaseHost }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return { reason: 'PHP is not installed' }
      faults.push(`${databaseHost}: ${message.split('\n')[0]?.slice(0, 200)}`)
    }
  }
  return { reason: `PHP reaches no MariaDB as root without a password (${faults.join('; ')})` }
}

const run = promisify(execFile)

/** Runs a statement in MariaDB. @returns the first column of what is found. @throws Error with what was said */
export async function inMariaDb(host: string, sql: string, php = 'php'): Promise<string[]> {
  const { stdout } = await run(php, ['-r', script, '--', host, sql], { timeout: 20_000 })
  const { found, fault } = JSON.parse(stdout) as { found?: string[]; fault?: string }
  if (found) return found
  throw new Error(fault)
}

/** Drops the databases whose names begin so. */
export async function dropDatabases(host: string, prefix: string): Promise<void> {
  const named = await inMariaDb(
    host,
    `select schema_name from information_schema.schemata where locate('${prefix}', schema_name) = 1`,
  )
  for (const name of named) await inMariaDb(host, `drop database if exists ${name}`)
}
