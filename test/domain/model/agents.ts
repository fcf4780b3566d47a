import fc from 'fast-check'
import type { Agent } from '../../kit/runtime.ts'
import { type Family, isClosed, type Model, newPiece, openQuestions, type Turn } from './pieces.ts'
import { ask, fail, handOn, succeed } from './state.ts'
import { type Answer, type Command, choose, expectAnswer, step, which } from './step.ts'
import type { RealSystem } from './system.ts'

const mostPieces = 8

function agentAt(model: Model, system: RealSystem, number: number): { agent: Agent; turn: Turn } {
  const isAtWork = ({ runId }: Agent) => model.turns.get(runId)?.state === 'running'
  const agent = choose(system.agents, isAtWork, number)
  const turn = model.turns.get(agent.runId)
  if (!turn) throw new Error('an agent without a run')
  return { agent, turn }
}

/** Something that an agent tries, be it in progress or not: `expected` says what is answered, `follows` what follows from a 2xx. */
interface Try {
  body: object
  expected: string
  follows?: (answer: Answer) => void
}

function tries(
  name: string,
  number: number,
  path: string,
  plan: (model: Model, turn: Turn, system: RealSystem) => Try,
): Command {
  return step(
    `${name} by agent ${number}`,
    ({ turns }) => turns.size > 0,
    async (model, system) => {
      const { agent, turn } = agentAt(model, system, number)
      const { body, expected, follows } = plan(model, turn, system)
      const answer = await system.post(agent, `/agent/v1/runs/${agent.runId}/${path}`, body)
      expectAnswer(answer, name, expected)
      if (answer.status >= 300) return
      // Its turn goes on: nothing ends it before its time.
      if (turn.ending === 'answered') turn.ending = null
      follows?.(answer)
    },
  )
}

/** Results: a second one is a conflict; the token of one whose time is over opens nothing. */
function result(
  name: string,
  number: number,
  body: object,
  then: (model: Model, turn: Turn, system: RealSystem, answer: Answer) => void | Promise<void>,
): Command {
  return step(
    `${name} by agent ${number}`,
    ({ turns }) => turns.size > 0,
    async (model, system) => {
      const { agent, turn } = agentAt(model, system, number)
      const usage = { inputTokens: 7, outputTokens: 3 }
      const answer = await system.post(agent, `/agent/v1/runs/${agent.runId}/result`, { ...body, usage })
      const late = turn.deadline <= system.clock.now() ? '401 TOKEN_EXPIRED' : '409 CONFLICT'
      expectAnswer(answer, name, turn.state === 'running' ? '200' : late)
      if (answer.status === 200) await then(model, turn, system, answer)
    },
  )
}

const success = fc.tuple(which, fc.constantFrom('A', 'B', null)).map(([number, text]) =>
  result(
    text === null ? 'nothing to do' : `text ${text}`,
    number,
    { status: 'success', ...(text === null ? { metadata: { nothingToDo: true } } : { text }) },
    async (model, turn, system) => {
      if (succeed(model, turn, text, system.clock.now()) !== 'asks') return
      const [asked] = await system.harness.app.db.sql.all<{ id: string }>(
        'select l.approval_id as id from approval_links l where l.activity_id = ? order by 1 desc limit 1',
        [turn.piece.id],
      )
      ask(model, turn.piece, system.clock.now(), {
        id: asked?.id ?? '',
        type: 'content_review',
        blocking: true,
      })
    },
  ),
)

const failure = fc
  .tuple(which, fc.constantFrom<Family>('transient', 'quota', 'invalid'))
  .map(([number, family]) =>
    result(
      `failure ${family}`,
      number,
      { status: 'error', error: 'No', metadata: { family } },
      (model, turn) => fail(model, turn, family),
    ),
  )

/** What is answered to an act that moves the work on, before its own rules are asked. */
function refusalOf(turn: Turn, system: RealSystem): string | undefined {
  if (turn.deadline <= system.clock.now()) return '401 TOKEN_EXPIRED'
  if (turn.state !== 'running') return '401 UNAUTHORIZED'
  return isClosed(turn.piece) ? '422 UNPROCESSABLE' : undefined
}

/** A story is about few activities. */
const whileFew = (command: Command): Command => ({
  ...command,
  check: (model) => model.pieces.length < mostPieces && model.turns.size > 0,
})

const review = which.map((number) =>
  tries('request-review', number, 'actions/request-review', (model, turn, system) => ({
    body: { title: 'Please look', description: 'Is this the tone?' },
    expected:
      refusalOf(turn, system) ??
      (openQuestions(model, turn.piece).some(({ type }) => type === 'content_review')
        ? '409 CONFLICT'
        : '201'),
    follows({ body }) {
      turn.piece.status = 'awaiting_review'
      const id = body['approvalId'] as string
      ask(model, turn.piece, system.clock.now(), { id, type: 'content_review', blocking: true })
    },
  })),
)

const question = fc
  .tuple(which, fc.boolean(), fc.constantFrom('content_review', 'brand_direction', 'budget_authorization'))
  .map(([number, blocking, type]) =>
    tries(
      `${blocking ? 'blocking ' : ''}create-approval ${type}`,
      number,
      'actions/create-approval',
      (model, turn, system) => ({
        body: { title: 'May we?', type, blockCurrentActivity: blocking },
        expected: refusalOf(turn, system) ?? '201',
        follows({ body }) {
          if (blocking) turn.piece.status = 'awaiting_approval'
          ask(model, turn.piece, system.clock.now(), { id: body['approvalId'] as string, type, blocking })
        },
      }),
    ),
  )

const subtask = fc.tuple(which, fc.boolean()).map(([number, blocking]) => {
  const made = tries(
    `${blocking ? 'blocking ' : ''}create-subtask`,
    number,
    'actions/create-subtask',
    (model, turn, system) => ({
      body: { title: 'Facts', agentRole: 'researcher', prompt: 'Find three facts', blocking },
      expected: refusalOf(turn, system) ?? (turn.piece.parent ? '422 UNPROCESSABLE' : '201'),
      follows({ body }) {
        if (blocking) turn.piece.status = 'awaiting_subtask'
        const more = { parent: turn.piece, blocksParent: blocking }
        model.pieces.push(newPiece(body['subtaskActivityId'] as string, 'researcher', more))
      },
    }),
  )
  return whileFew(made)
})

const obstacle = which.map((number) =>
  tries('report-blocker', number, 'actions/report-blocker', (_, turn, system) => ({
    body: { blockerType: 'needs_human_input', description: 'Which shop?' },
    expected: refusalOf(turn, system) ?? '200',
    follows() {
      turn.piece.status = 'blocked'
    },
  })),
)

const handover = fc.tuple(which, fc.constantFrom('blog_writer', 'researcher')).map(([number, toRole]) => {
  const made = tries(`reassign to ${toRole}`, number, 'actions/reassign', (model, turn, system) => ({
    body: { toRole, reason: 'Too long for a post' },
    expected: refusalOf(turn, system) ?? (turn.piece.roles.includes(toRole) ? '422 UNPROCESSABLE' : '201'),
    follows: ({ body }) => handOn(model, turn.piece, body['newActivityId'] as string, toRole),
  }))
  return whileFew(made)
})

/** What agents do; they deliver more often than anything else. */
export const agentSteps = [success, success, success, failure, review, question, subtask, obstacle, handover]
