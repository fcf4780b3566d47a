import { basename, relative } from 'node:path'

/** How this process was started. */
export interface Start {
  env: Readonly<Record<string, string | undefined>>
  /** As in `process.argv`. */
  argv: readonly string[]
  cwd: string
}

/**
 * The command that starts this program again the same way, for messages that tell people what to type:
 * `copydesk` is on the path of an installed package only, not of `npx` or of a clone.
 * @returns for example `npx copydesk`, `node bin/copydesk.mjs` or `copydesk`
 */
export function invocation({ env, argv, cwd }: Start = { ...process, cwd: process.cwd() }): string {
  if (env['npm_command'] === 'exec') {
    const named = env['npm_config_package']
    return named ? `npx --package=${named} copydesk` : 'npx copydesk'
  }
  // The launcher passes on the command that started it when it switches to a newer Node.
  const script = env['COPYDESK_STARTED_AS'] ?? argv[1] ?? 'copydesk'
  return basename(script).endsWith('.mjs') ? `node ${relative(cwd, script)}` : 'copydesk'
}
