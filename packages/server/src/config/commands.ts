import type { CommandOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, whole } from './parts.ts'

const words = () => z.array(z.string())
const argv = () => words().min(1, 'must name a program')
const family = () => z.enum(['transient', 'quota', 'auth', 'refusal', 'invalid', 'internal'])
const variable = () => z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')

const Line = () =>
  z.strictObject({
    when: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    delta: text().optional(),
    text: text().optional(),
    nothingToDo: text().optional(),
    session: text().optional(),
    inputTokens: z.union([text(), z.array(text())]).optional(),
    outputTokens: z.union([text(), z.array(text())]).optional(),
    error: text().optional(),
    family: text().optional(),
    tool: z
      .strictObject({
        name: text(),
        input: text().optional(),
        output: text().optional(),
        error: text().optional(),
        durationMs: text().optional(),
      })
      .optional(),
  })

/** `commands` of the configuration: command-line agents by name. */
export const Commands = () =>
  z.record(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'a name has 1 to 64 letters, digits, "-" or "_"'),
    z.strictObject({
      argv: argv(),
      resumeArgv: argv().optional(),
      stdin: z.string().optional(),
      files: z.array(z.strictObject({ name: z.string(), text: z.string() })).optional(),
      env: z.record(variable(), z.string()).optional(),
      passEnv: z.array(variable()).optional(),
      output: z.enum(['text', 'json-lines']).optional(),
      lines: z.array(Line()).optional(),
      exitCodes: z.record(z.string().regex(/^\d{1,3}$/, 'must be an exit code'), family()).optional(),
      failures: z.array(z.strictObject({ match: z.string().min(1), family: family() })).optional(),
      version: words().optional(),
      check: argv().optional(),
      maxOutputBytes: whole().min(1_000).max(1_000_000_000).optional(),
      tenantIds: words().optional(),
    }),
  )
export type Commands = z.output<ReturnType<typeof Commands>>

/** The same in the form that the core expects. */
export function toCommands(commands: Commands): Record<string, CommandOptions> {
  return commands as Record<string, CommandOptions>
}
