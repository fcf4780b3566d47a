import type { Command } from '../context.ts'
import type { RunRow } from './entities.ts'

/** What is told at the end of every run, whose id is the subject. */
export const endEvents = ['run_completed', 'run_failed'] as const

/**
 * Tells those who follow one run that it has ended.
 * @param output the text, where it is kept nowhere else
 */
export function tellEnd(cmd: Command, run: RunRow, output?: string): void {
  const { id, tenantId, status, attempt, inputTokens, outputTokens, error, errorFamily } = run
  const failed = status !== 'completed'
  cmd.emit({
    tenantId,
    type: failed ? 'run_failed' : 'run_completed',
    subject: id,
    data: {
      runId: id,
      attempt,
      status,
      usage: { inputTokens, outputTokens },
      ...(failed && { error: error ?? status, family: errorFamily }),
      ...(output !== undefined && { output }),
    },
  })
}
