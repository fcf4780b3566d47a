import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../config/postgres-server.ts'
import { inMariaDb, wordPressFolder } from '../../config/wordpress.ts'
import { type CuttingProxy, openCuttingProxy, type ProxiedRequest } from './cutting-proxy.ts'

/** Found on the path. */
const program = 'php'
const databaseHost = process.env['COPYDESK_TEST_WORDPRESS'] ?? ''

/** True where Debian's WordPress, PHP and a MariaDB are there: see `config/wordpress.ts`. */
export const hasWordPress = databaseHost !== ''

const scripts = fileURLToPath(new URL('wordpress/', import.meta.url))

/** A post as the site's own database has it. */
export interface SitePost {
  id: number
  title: string
  html: string
  excerpt: string
  slug: string
  status: string
  link: string
  /** How often it went from unpublished to published. */
  published: number
}

/** A WordPress that was installed for a test, behind a proxy that can cut connections. */
export interface RealWordPress extends AsyncDisposable {
  url: string
  /** Of a user who writes and publishes, and is no administrator unless that was asked for. */
  login: { username: string; secret: string }
  /** The password with which that user logs in at the site itself. */
  password: string
  requests: ProxiedRequest[]
  /** Whether a request's connection is cut; never, at first. */
  cut(cuts: CuttingProxy['cuts']): void
  /** Runs PHP inside of the site. @returns what it returns */
  run<T = unknown>(php: string): Promise<T>
  /** All posts that are not the one of the installation, drafts and those in the bin too, the oldest first. */
  posts(): Promise<SitePost[]>
  /** Makes another application password for the user, and puts it into `login`. */
  renewPassword(): Promise<void>
  /** Takes all application passwords of the user from them. */
  revoke(): Promise<void>
}

export interface SiteOptions {
  /** The folder of the address, with a slash before it; none by default. */
  path?: string
  /** As WordPress writes them; empty where addresses are not rewritten. */
  permalinks?: string
  role?: 'author' | 'administrator'
  /** As WordPress's own screen keeps it. */
  name?: string
  /** False where the site deletes at once what is deleted. */
  hasTrash?: boolean
}

/** Installs a WordPress of the machine's files in a database of its own, and starts it. */
export async function startRealWordPress({
  path = '',
  permalinks = '/%postname%/',
  role = 'author',
  name = 'Oats Daily',
  hasTrash = true,
}: SiteOptions = {}): Promise<RealWordPress> {
  await using stack = new AsyncDisposableStack()
  const proxy = stack.use(await openCuttingProxy())
  const root = mkdtempSync(join(tmpdir(), 'copydesk-wordpress-'))
  stack.defer(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'site', path)
  layOut(folder)
  const cache = join(root, 'compiled')
  mkdirSync(cache)
  const database = `${process.env['COPYDESK_TEST_PREFIX'] ?? 'copydesk_test_'}wp_${randomBytes(4).toString('hex')}`
  await inMariaDb(databaseHost, `create database ${database} character set utf8mb4`)
  stack.defer(async () => void (await inMariaDb(databaseHost, `drop database ${database}`)))
  const env = {
    ...process.env,
    PHP_CLI_SERVER_WORKERS: '3',
    SITE_FOLDER: folder,
    SITE_CACHE: cache,
    SITE_URL: proxy.url + path,
    SITE_DATABASE: database,
    SITE_DATABASE_HOST: databaseHost,
    SITE_TRASH: hasTrash ? '' : 'none',
  }
  const password = randomBytes(12).toString('hex')
  const run: RealWordPress['run'] = async (php) => JSON.parse(await runPhp(env, php)) as never
  const user = `get_user_by('login', 'wanda')->ID`
  const give = `WP_Application_Passwords::create_new_application_password(${user}, ['name' => 'Copydesk'])[0]`
  const secret = await runPhp(
    env,
    `wp_insert_user(['user_login' => 'wanda', 'user_pass' => '${password}', 'user_email' => 'wanda@oats.example', 'role' => '${role}']);
    update_option('blogname', ${quoted(name)});
    update_option('permalink_structure', ${quoted(permalinks)});
    return ${give};`,
    'install',
  )
  const { port, end } = await serve(join(root, 'site'), env)
  stack.defer(end)
  proxy.target = port
  const owned = stack.move()
  const self: RealWordPress = {
    url: proxy.url + path,
    login: { username: 'wanda', secret: JSON.parse(secret) as string },
    password,
    requests: proxy.requests,
    cut: (cuts) => void (proxy.cuts = cuts),
    run,
    posts: () =>
      run(`return array_map(fn($post) => [
        'id' => $post->ID, 'title' => $post->post_title, 'html' => $post->post_content, 'excerpt' => $post->post_excerpt,
        'slug' => $post->post_name, 'status' => $post->post_status, 'link' => get_permalink($post),
        'published' => count(array_filter(get_post_meta($post->ID, 'test_transition'), fn($to) => str_ends_with($to, '>publish'))),
      ], get_posts(['numberposts' => -1, 'post_status' => array_keys(get_post_stati()), 'exclude' => [1], 'orderby' => 'ID', 'order' => 'ASC']));`),
    async renewPassword() {
      self.login.secret = await run<string>(`return ${give};`)
    },
    async revoke() {
      await run(`return WP_Application_Passwords::delete_all_application_passwords(${user});`)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return self
}

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

/** A site in a folder: its settings are its own, and its program is the machine's. */
function layOut(folder: string): void {
  mkdirSync(join(folder, 'wp-content', 'mu-plugins'), { recursive: true })
  for (const name of readdirSync(wordPressFolder))
    if (/^(?:index|wp-(?!config|content).*)(?:\.php)?$/.test(name))
      symlinkSync(join(wordPressFolder, name), join(folder, name))
  copyFileSync(join(scripts, 'wp-config.php'), join(folder, 'wp-config.php'))
  copyFileSync(join(scripts, 'transitions.php'), join(folder, 'wp-content', 'mu-plugins', 'transitions.php'))
}

/** What was compiled once is kept for all processes of a site. */
const settingsOf = ({ SITE_CACHE }: NodeJS.ProcessEnv) => [
  '-d',
  'opcache.enable_cli=1',
  '-d',
  `opcache.file_cache=${SITE_CACHE}`,
]

/** @returns what the script prints. @throws Error with what PHP said */
function runPhp(env: NodeJS.ProcessEnv, code: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, stdout: string, stderr: string) =>
      error ? reject(new Error(`PHP: ${stderr || stdout || error.message}`)) : resolve(stdout)
    const child = execFile(
      program,
      [...settingsOf(env), '-d', 'display_errors=stderr', join(scripts, 'run.php'), ...args],
      { env },
      done,
    )
    child.stdin?.end(code)
  })
}

/** Starts PHP's own web server. Another program may take a port that was free a moment before. */
async function serve(root: string, env: NodeJS.ProcessEnv): Promise<{ port: number; end(): Promise<void> }> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort()
    const args = [...settingsOf(env), '-S', `127.0.0.1:${port}`, '-t', root, join(scripts, 'router.php')]
    // A group of its own: its workers outlive it otherwise.
    const child = spawn(program, args, { env, stdio: 'ignore', detached: true })
    const kill = () => child.pid !== undefined && isRunning(child) && process.kill(-child.pid, 'SIGKILL')
    // A run that is ended without a farewell must not leave a server behind.
    process.once('exit', kill)
    const end = async () => {
      process.removeListener('exit', kill)
      const gone = isRunning(child) ? once(child, 'exit') : undefined
      kill()
      await gone
    }
    while (isRunning(child) && !(await answers(port))) await pause(20)
    if (isRunning(child)) return { port, end }
    await end()
    if (tries === 5) throw new Error('PHP’s web server does not start')
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
    ({ headers }) => headers.get('x-powered-by')?.startsWith('PHP') === true,
    () => false,
  )
}

/** What a visitor of a site is shown of the posts of a name: title, content and excerpt, in HTML. */
export async function shownBy({ url }: Pick<RealWordPress, 'url'>, slug: string): Promise<string[][]> {
  const response = await fetch(`${url}/?rest_route=/wp/v2/posts&slug=${encodeURIComponent(slug)}`)
  const posts = (await response.json()) as Record<'title' | 'content' | 'excerpt', { rendered: string }>[]
  return posts.map(({ title, content, excerpt }) => [title, content, excerpt].map(({ rendered }) => rendered))
}
