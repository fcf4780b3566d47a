import { answer } from './answer.ts'

/** Loaded by `--import` into a program of others, so that it answers what each program under load is asked. */
answer()
process.channel?.unref()
