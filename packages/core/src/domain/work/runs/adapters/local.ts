import type { Ctx } from '../../../../kernel/context.ts'
import { ModelError, type ModelResult } from '../../../../platform/models/port.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { readingTools, withManifest } from '../../../agents/skills/reading.ts'
import type { RunCall } from '../budget/record-usage.ts'
import { deliver } from '../lifecycle/result.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import type { Adapter } from './adapters.ts'
import { CapReached, createRecord, type LocalRecord } from './local-record.ts'
import { toolsFor } from './local-tools.ts'

/** The built-in loop: a model of a provider, in this process, with the run's actions as its tools. */
export const localAdapter: Adapter = {
  async check(ctx: Ctx, agent: EffectiveAgent) {
    const { models } = ctx.services
    const model = models.nameFor(agent.model)
    const name = `model ${model}`
    const entry = models.served.find(({ provider }) => provider.models.includes(model))
    if (!entry) return [{ name, ok: false, detail: `No provider serves the model ${model}` }]
    const { ok, message, detail } = await entry.provider.check()
    return [{ name, ok, detail: detail ? `${message} (${detail})` : message }]
  },

  async start(ctx: Ctx, dispatch: Dispatch, signal: AbortSignal) {
    const { runId } = dispatch
    // The piece stands as it was approved, so no token is spent on it.
    if (dispatch.settled) {
      await deliver(ctx, runId, { status: 'success', text: '', nothingToDo: true })
      return 'finished'
    }
    const started = ctx.clock.now()
    const record = createRecord(ctx, dispatch)
    let last: RunCall | undefined
    try {
      const { text, finishReason } = await ask(ctx, dispatch, record, signal)
      last = record.takeLast()
      await record.written()
      if (text.trim() === '' && !record.toolsUsed)
        throw new ModelError('invalid', 'The model answered with nothing')
      if (finishReason === 'tool-calls' && !record.handedOver) throw outOfTurns(dispatch)
      const result = {
        status: 'success' as const,
        text,
        ...(text.trim() === '' && { nothingToDo: true }),
        durationMs: ctx.clock.now() - started,
      }
      await deliver(ctx, runId, result, last)
    } catch (error) {
      if (last) record.book(last)
      // What was spent is booked before the run ends, however it ends.
      await record.written()
      if (!(error instanceof CapReached)) throw error
      await deliver(ctx, runId, {
        status: 'error',
        error: error.message,
        family: 'quota',
        capReached: true,
        durationMs: ctx.clock.now() - started,
      })
    }
    return 'finished'
  },
}

/** Failures of a provider, after which another may do better. */
const another: ReadonlySet<string> = new Set(['transient', 'quota', 'auth'])

/** Asks the models in turn, as long as one fails before it has written or done anything. */
async function ask(
  ctx: Ctx,
  { runId, choices, systemPrompt, prompt, brief, agent, skills }: Dispatch,
  record: LocalRecord,
  signal: AbortSignal,
): Promise<ModelResult> {
  const failures: ModelError[] = []
  for (const [at, { model, provider }] of choices.entries()) {
    try {
      return await provider.generate(
        {
          model,
          system: withManifest(systemPrompt, skills),
          prompt,
          brief,
          tools: [...toolsFor(ctx, runId, agent.toolNames), ...readingTools(skills)],
          maxTurns: agent.adapterConfig.maxTurnsPerRun,
          signal,
          mayGoOn: record.mayGoOn,
        },
        record.sinkFor({ model, provider }),
      )
    } catch (error) {
      const next = choices[at + 1]
      if (!(error instanceof ModelError) || !another.has(error.family) || record.told) throw error
      failures.push(error)
      if (!next) break
      ctx.log.warn('a model failed and another is asked', {
        runId,
        model,
        next: next.model,
        family: error.family,
      })
      record.note(`${error.message} The model ${next.model} is asked instead of ${model}.`)
    }
  }
  throw soonest(failures)
}

/** Of several failures the one that may be tried again first; else the first. */
function soonest(failures: readonly ModelError[]): ModelError {
  const waits = failures
    .filter(({ family }) => family !== 'auth')
    .sort((a, b) => (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0))
  return waits[0] ?? failures[0] ?? new ModelError('invalid', 'There is no model to ask')
}

function outOfTurns({ agent }: Dispatch): ModelError {
  const turns = agent.adapterConfig.maxTurnsPerRun
  return new ModelError(
    'invalid',
    `${agent.name} has used all of its ${turns} turns without an end. Raise maxTurnsPerRun, or give it fewer tools.`,
  )
}
