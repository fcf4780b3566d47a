import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Command } from './context.ts'

/**
 * Writes what a command has made so far. What was looked for and not found may be there in the meantime: a unique index
 * then decides, and the one who comes second is refused as if it had been found.
 * @throws `taken` when a row breaks a unique index
 */
export async function flushOnce(cmd: Command, taken: Error): Promise<void> {
  try {
    await cmd.em.flush()
  } catch (error) {
    throw error instanceof UniqueConstraintViolationException ? taken : error
  }
}
