import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyFonts } from './fonts.ts'

/**
 * Builds the libraries into packages/<name>/dist, as they are published: JavaScript and declarations. The language and the
 * writer come before the core, and that before the client: each is built with the declarations of those before it.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

for (const name of ['language', 'writer', 'core', 'client']) {
  const folder = join(root, 'packages', name)
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  const project = join(folder, 'tsconfig.build.json')
  writeFileSync(project, JSON.stringify({ extends: '../../config/tsconfig.build.json' }))
  try {
    run('tsc', ['-p', project])
  } finally {
    rmSync(project, { force: true })
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (process.exitCode) break
  if (name === 'core') copyFonts(join(folder, 'dist', 'platform', 'pdf'))
  run('publint', ['--strict', folder])
}
if (!process.exitCode && existsSync(join(root, 'dist'))) run('publint', ['--strict', root])

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) console.error(`${command} could not be started: ${error.message}`)
  if (status !== 0) process.exitCode = 1
}
