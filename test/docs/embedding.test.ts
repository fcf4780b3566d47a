import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, start } from '../cli/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Outside of node_modules, in which Node runs no TypeScript. */
const folder = mkdtempSync(join(tmpdir(), 'copydesk-embedding-'))
const pages = ['README.md', 'docs/embedding.md', ...globSync('docs/embedding/*.md', { cwd: root })]

/** The TypeScript of a page, in files as its first lines name them. */
function snippetsOf(page: string): Array<{ file: string; text: string }> {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, text = ''], i) => ({
    file: /^\/\/ ([\w/.[\]]+\.ts)/.exec(text)?.[1] ?? `snippet-${i}.ts`,
    text,
  }))
}

const folderOf = (page: string) => join(folder, page.replace(/\W/g, '-'))

beforeAll(() => {
  const shared = snippetsOf('docs/embedding.md').find(({ file }) => file === 'copydesk.ts')
  for (const page of pages) {
    const snippets = snippetsOf(page)
    const own = snippets.some(({ file }) => file === 'copydesk.ts') ? snippets : [...snippets, shared]
    for (const snippet of own) {
      if (!snippet) continue
      // Next has its files where they answer; here they all lie in one folder.
      const file = join(folderOf(page), snippet.file.split('/').at(-1) ?? '')
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, snippet.text)
    }
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the TypeScript of README.md and the pages on embedding', () => {
  it('compiles unchanged, with --strict', { timeout: 600_000 }, async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      allowImportingTsExtensions: true,
      // The library from its source, which is checked by its own rules.
      customConditions: ['@copydesk/source'],
      skipLibCheck: true,
    }
    expect(pages.flatMap(snippetsOf).length).toBeGreaterThanOrEqual(10)
    const config = join(folder, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    // Beside other tests, more checkers only work out the same types again.
    const { code, stdout } = await start(process.execPath, [tsc, '-p', config, '--checkers', '1'], {
      cwd: folder,
    }).ended
    // The library's own source is held to rules of its own.
    const ours = stdout.split('\n').filter((line) => /^[\w-]+-md\//.test(line))
    expect({ ours, hasRun: code === 0 || stdout !== '' }).toEqual({ ours: [], hasRun: true })
  })
})

const keys = {
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SIGNING_SECRET: 'a secret for the embedding pages that is long enough',
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs the program of a page, in a folder of its own. */
async function run(page: string, env: Record<string, string> = keys): Promise<Running & { url: string }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const running = start(process.execPath, ['--conditions=@copydesk/source', 'server.ts'], {
    cwd: folderOf(page),
    env: { ...env, PORT: String(port), BASE_URL: url },
  })
  return { ...running, url }
}

/** Resolves with the first answer of a server that is starting. */
async function firstAnswer({ url, ended }: Running & { url: string }): Promise<Response> {
  let over: string | undefined
  void ended.then(({ stderr }) => (over = stderr))
  for (;;) {
    try {
      return await fetch(`${url}/health`)
    } catch {
      if (over !== undefined) throw new Error(`It ended:\n${over}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

const hosts = ['node', 'express', 'fastify', 'hono', 'h3']

describe.each(hosts)('docs/embedding/%s.md', (host) => {
  it('behaves as described, with the address of the caller', async () => {
    const running = await run(`docs/embedding/${host}.md`)
    try {
      expect((await firstAnswer(running)).status).toBe(200)
      const { url } = running
      const login = await fetch(`${url}/auth/v1/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'Wrong-horse-1', app: 'dashboard' }),
      })
      expect([login.status, await login.json()]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }])
      expect(login.headers.get('x-request-id')).toMatch(/^[0-9A-Z]{26}$/)
      // A host without client addresses has a limit twenty times as high.
      expect(login.headers.get('x-ratelimit-limit')).toBe('60')
      expect((await fetch(`${url}/dm/v1/approvals`, { method: 'PATCH' })).status).toBe(401)
      const shop = await fetch(`${url}/shop`)
      // Node's own server serves nothing else.
      expect(host === 'node' ? shop.status : await shop.text()).toBe(host === 'node' ? 404 : 'Your own pages')
      const { stdout, stderr } = running.said()
      expect(stdout + stderr).not.toContain('without the address')
    } finally {
      running.child.kill('SIGKILL')
      await running.ended
    }
  })
})

describe('docs/embedding/next.md', () => {
  it('works as a route handler, with the address from the proxy', async () => {
    const page = folderOf('docs/embedding/next.md')
    writeFileSync(
      join(page, 'try.ts'),
      `import * as route from './route.ts'
       import { copydesk } from './copydesk.ts'
       const limits = []
       for (const headers of [{}, { 'x-real-ip': '203.0.113.9' }]) {
         const answer = await route.GET(new Request('http://localhost/dm/v1/approvals', { headers }))
         limits.push([answer.status, answer.headers.get('x-ratelimit-limit')])
       }
       console.log('limits ' + JSON.stringify(limits))
       await copydesk.stop()`,
    )
    const { ended } = start(process.execPath, ['--conditions=@copydesk/source', 'try.ts'], {
      cwd: page,
      env: keys,
    })
    const { stdout, stderr, code } = await ended
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const [, told = ''] = /limits (.*)/.exec(stdout) ?? []
    expect(JSON.parse(told)).toEqual([
      [401, '12000'],
      [401, '600'],
    ])
    expect(stdout + stderr).toContain('without the address of their caller')
  })
})

describe('a program without keys', () => {
  it('gets one error that names each of them, and has created nothing', async () => {
    const page = 'docs/embedding/node.md'
    rmSync(join(folderOf(page), 'copydesk.db'), { force: true })
    const before = globSync('*', { cwd: folderOf(page) }).toSorted()
    const running = await run(page, {})
    const { code, stderr } = await running.ended
    expect(code).toBe(1)
    expect(stderr).toContain('createCopydesk: 2 options cannot be used')
    expect(stderr).toContain('encryptionKeys[0].key: must be 32 bytes in base64')
    expect(stderr).toContain('signingKeys[0].secret: must have 32 characters or more')
    expect(globSync('*', { cwd: folderOf(page) }).toSorted()).toEqual(before)
  })
})
