import { expect } from 'vitest'
import { cli } from './process.ts'

interface Shown {
  file: string | null
  settings: Array<{ name: string; value: unknown; source: string }>
  warnings: string[]
}

/** What `config show` says of the configuration of a folder. */
export async function show(cwd: string, env: Record<string, string> = {}, args: string[] = []) {
  const ended = await cli(['config', 'show', '--json', ...args], { cwd, env })
  expect(ended.stderr.replaceAll(/^warning: .*\n/gm, '')).toBe('')
  const shown = JSON.parse(ended.stdout) as Shown
  return { ...shown, of: (name: string) => shown.settings.find((one) => one.name === name) }
}
