import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import { start, temporaryFolder } from './process.ts'

const launcher = fileURLToPath(new URL('../../bin/copydesk.mjs', import.meta.url))

/** Makes this Node say that it is an old one; what it starts is the real one again. */
const old = [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.1'})`,
]

const program = `
if (process.argv[2] === 'wait') {
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => {}, 1000)
}
console.log(JSON.stringify(process.argv.slice(2)))
if (process.argv[2] === 'wait') await new Promise(() => {})
else if (process.argv[2] === 'die') process.kill(process.pid, 'SIGKILL')
else process.exitCode = Number(process.argv[2] ?? 0)
`

/** A package as it is installed: the launcher, and a program in its dist/. */
function installed(folder: string, content: string | undefined = program): string {
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'dist'))
  copyFileSync(launcher, join(folder, 'bin', 'copydesk.mjs'))
  if (content) writeFileSync(join(folder, 'dist', 'main.mjs'), content)
  return join(folder, 'bin', 'copydesk.mjs')
}

function withNodeOfClone(folder: string): void {
  mkdirSync(join(folder, 'node_modules', 'node', 'bin'), { recursive: true })
  symlinkSync(process.execPath, join(folder, 'node_modules', 'node', 'bin', 'node'))
}

/** A folder for PATH whose `npx` writes down how it is called and answers with `script`. */
function npxThat(folder: string, script: string): string {
  const bin = join(folder, 'path')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\necho "$@" > "${folder}/npx-args"\nenv > "${folder}/npx-env"\n${script}\n`,
  )
  chmodSync(join(bin, 'npx'), 0o755)
  return `${bin}:/usr/bin:/bin`
}

describe.skipIf(process.platform === 'win32')('bin/copydesk.mjs', () => {
  it('starts the program in the same process when Node is new enough', async () => {
    using folder = temporaryFolder()
    const ended = await start(process.execPath, [installed(folder.path), '3', 'a b'], { cwd: folder.path })
      .ended
    expect(ended).toEqual({ code: 3, signal: null, stdout: '["3","a b"]\n', stderr: '' })
  })

  it('switches to the Node of a clone when the current one is too old, with a message of one line', async () => {
    using folder = temporaryFolder()
    const self = installed(folder.path)
    withNodeOfClone(folder.path)
    const ended = await start(process.execPath, [...old, self, '3', 'a  b', '$HOME'], { cwd: folder.path })
      .ended
    expect(ended.code).toBe(3)
    expect(ended.stdout).toBe('["3","a  b","$HOME"]\n')
    expect(ended.stderr).toBe('copydesk: Node 20.11.1 is too old; using the Node of this folder.\n')
  })

  it('forwards signals, and exits like the program', async () => {
    using folder = temporaryFolder()
    const self = installed(folder.path)
    withNodeOfClone(folder.path)
    const running = start(process.execPath, [...old, self, 'wait'], { cwd: folder.path })
    await running.says('["wait"]')
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 7, signal: null })
    const died = await start(process.execPath, [...old, self, 'die'], { cwd: folder.path }).ended
    expect(died).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  it('requests the platform package from npx, without the settings of the parent npx', async () => {
    using folder = temporaryFolder()
    const self = installed(folder.path)
    const newer = join(folder.path, 'newer-node')
    symlinkSync(process.execPath, newer)
    const PATH = npxThat(folder.path, `echo "${newer}"`)
    const env = { PATH, npm_config_package: 'file:copydesk.tgz' }
    const ended = await start(process.execPath, [...old, self, '4'], { cwd: folder.path, env }).ended
    expect(ended).toMatchObject({ code: 4, stdout: '["4"]\n' })
    expect(ended.stderr).toBe(
      'copydesk: Node 20.11.1 is too old; using Node 24.21.0 from the npm registry.\n',
    )
    expect(readFileSync(join(folder.path, 'npx-args'), 'utf8')).toMatch(
      /^--prefer-offline --fetch-retries=1 .*--yes --package=node-[a-z]+-[a-z0-9]+@24\.21\.0 -- node -p process\.execPath$/m,
    )
    expect(readFileSync(join(folder.path, 'npx-env'), 'utf8')).not.toMatch(/^npm_config_package=/m)
  })

  it('fails with one sentence when npx fails too', async () => {
    using folder = temporaryFolder()
    const self = installed(folder.path)
    const env = { PATH: npxThat(folder.path, 'echo "npm error network" >&2; exit 1') }
    const ended = await start(process.execPath, [...old, self, 'up'], { cwd: folder.path, env }).ended
    expect(ended.code).toBe(1)
    expect(ended.stdout).toBe('')
    const lines = ended.stderr.trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(
      /^copydesk: Copydesk needs Node 22\.18 or newer, .* Install Node 22\.18 or newer/,
    )
  })

  it('does not restart itself endlessly when the other Node is too old as well', async () => {
    using folder = temporaryFolder()
    const self = installed(folder.path)
    withNodeOfClone(folder.path)
    const env = { COPYDESK_RELAUNCHED: '1' }
    const ended = await start(process.execPath, [...old, self, 'up'], { cwd: folder.path, env }).ended
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain('Copydesk needs Node 22.18 or newer')
  })

  it('explains what to do when the program has not been built', async () => {
    using folder = temporaryFolder()
    const ended = await start(process.execPath, [installed(folder.path, '')], { cwd: folder.path }).ended
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain('Run `npm run build`')
  })

  it('contains no syntax newer than ES2019, which is what Node 12 parses', () => {
    const text = readFileSync(launcher, 'utf8')
    const asItIs = transformSync('copydesk.mjs', text, { target: 'esnext' })
    const forNode12 = transformSync('copydesk.mjs', text, { target: 'es2019' })
    expect(forNode12.errors).toEqual([])
    expect(forNode12.code).toBe(asItIs.code)
    expect(text).not.toMatch(/^\s*(?:const \w+ = )?await /m)
  })
})
