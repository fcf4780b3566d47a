import fc from 'fast-check'
import { agentSteps } from './agents.ts'
import { isClosed, type Piece } from './pieces.ts'
import { decide, endForGood, mention, newText, wake } from './state.ts'
import { steeringSteps } from './steering.ts'
import { choose, expectAnswer, expectWoken, step, which } from './step.ts'

/** At the most so much time passes in one story: the period of the campaign must not end. */
const longestMs = 7 * 86_400_000

const verdict = fc
  .record({
    number: which,
    who: fc.constantFrom('admin' as const, 'reviewer' as const),
    resolution: fc.constantFrom('approved', 'approved', 'rejected', 'revision_requested'),
    isStale: fc.nat({ max: 4 }).map((n) => n === 0),
    edited: fc.constantFrom(undefined, undefined, 'A', 'C'),
    endWork: fc.nat({ max: 5 }).map((n) => n === 0),
  })
  .map(({ number, who, resolution, isStale, edited, endWork }) =>
    step(
      `${who}: ${resolution}${endWork ? ' for good' : ''}${edited ? ` with edits to ${edited}` : ''}${isStale ? ' of a text not shown' : ''}, question ${number}`,
      ({ questions }) => questions.length > 0,
      async (model, system) => {
        const asked = choose(model.questions, ({ status }) => status === 'pending', number)
        const surface = who === 'admin' ? 'dashboard' : 'dm'
        const answer = await system.post(who, `/${surface}/v1/approvals/${asked.id}/resolve`, {
          resolution,
          note: 'As I say',
          ...(isStale && { contentHash: '0'.repeat(64) }),
          ...(edited && { edited }),
          ...(endWork && { endWork }),
        })
        const mayEdit = edited === undefined || (resolution === 'approved' && asked.shows !== null)
        const expected =
          (edited && resolution !== 'approved') || (endWork && resolution !== 'rejected')
            ? '400 VALIDATION_ERROR'
            : asked.status !== 'pending'
              ? '409 CONFLICT'
              : !mayEdit
                ? '400 VALIDATION_ERROR'
                : isStale
                  ? '409 CONFLICT'
                  : '200'
        expectAnswer(answer, 'verdict', expected)
        if (expected !== '200') return
        if (edited && edited !== asked.shows) {
          asked.status = 'approved'
          asked.shows = edited
          newText(model, asked.piece, edited, system.clock.now())
        }
        if (endWork) {
          asked.status = 'rejected'
          if (!isClosed(asked.piece)) endForGood(model, asked.piece)
          return expectWoken(answer, 0)
        }
        const woken = decide(asked, resolution === 'approved' ? 'approved' : 'rejected')
        expectWoken(answer, woken)
      },
    ),
  )

const mayRetry = ({ status, hold, cancelled }: Piece) =>
  !cancelled && (status === 'failed' || (status === 'blocked' && hold === null))

const retry = which.map((number) =>
  step(
    `retry of activity ${number}`,
    ({ pieces }) => number > 3 || pieces.some(mayRetry),
    async (model, system) => {
      const one = choose(model.pieces, mayRetry, number)
      const answer = await system.post('admin', `/dashboard/v1/activities/${one.id}/retry`, {})
      const may = mayRetry(one) && !model.paused
      expectAnswer(answer, 'retry', may ? '202' : '422 UNPROCESSABLE')
      if (!may) return
      one.failures = 0
      wake(one, 'answer', 'person')
    },
  ),
)

const comment = fc.tuple(which, fc.boolean()).map(([number, isNote]) =>
  step(
    `${isNote ? 'intervention note' : 'mention'} on activity ${number}`,
    () => true,
    async (model, system) => {
      const one = choose(model.pieces, (some) => !isClosed(some), number)
      const body = isNote
        ? { text: 'The one in Bristol', type: 'intervention_note' }
        : { text: `@agent:${one.roles.at(-1)} shorter` }
      const answer = await system.post('admin', `/dashboard/v1/activities/${one.id}/comments`, body)
      expectAnswer(answer, 'comment', '201')
      if (!isNote) mention(model, one)
      else if (one.status === 'blocked' && one.hold === null) wake(one, 'answer', 'person')
    },
  ),
)

const hold = fc.boolean().map((paused) =>
  step(
    paused ? 'campaign paused' : 'campaign resumed',
    (model) => model.paused !== paused,
    async (model, system) => {
      const path = `/dashboard/v1/campaigns/${system.campaignId}`
      const answer = await system.post('admin', path, { status: paused ? 'paused' : 'active' }, 'PATCH')
      expectAnswer(answer, 'campaign', '200')
      model.paused = paused
    },
  ),
)

const time = fc.constantFrom(3_000, 120_000, 3_660_000, 25 * 3_600_000, 73 * 3_600_000).map((ms) =>
  step(
    `${ms / 1_000} s pass`,
    ({ passed }) => passed + ms <= longestMs,
    async (model, system) => {
      model.passed += ms
      system.clock.advance(ms)
    },
  ),
)

/** Stories of agents and people; agents deliver more often than anything else happens. */
export const stories = (options: fc.CommandsContraints) =>
  fc.commands(
    [...agentSteps, verdict, verdict, verdict, retry, comment, hold, time, ...steeringSteps],
    options,
  )
