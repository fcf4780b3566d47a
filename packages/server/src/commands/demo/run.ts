import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CopydeskOptions } from '@copydesk/core'
import { type Decide, decideByAsking, decideByItself, resolveApproval, showApproval } from './decide.ts'
import { createDemoInstance, type DemoInstance } from './instance.ts'
import { createLiveText, type LiveText } from './live.ts'
import { createPaint, type Paint } from './show.ts'
import { type DemoSummary, showSummary, summarize } from './summary.ts'

export interface DemoOptions {
  /** Decide without asking. */
  yes: boolean
  /** Keep the server running and the data in place. */
  keep: boolean
  /** Model of a configured provider; without it the built-in writer is used. */
  model?: string
  providers?: CopydeskOptions['providers']
  allowHosts?: string[]
  /** File of the brief; default: the one that comes with Copydesk. */
  brief?: string
  /** Where output for people goes. Data for programs goes elsewhere. */
  out: NodeJS.WritableStream & { isTTY?: boolean }
}

const deliverables = [
  { type: 'blog_post' as const, quantity: 1 },
  { type: 'social_post' as const, quantity: 1, platformIds: ['professional_network', 'photo_network'] },
  { type: 'ad_copy' as const, quantity: 1, platformIds: ['search_ads'] },
  { type: 'email_newsletter' as const, quantity: 1 },
]

const revisionNote = 'Shorter please, and lead with the Rye & Seed Loaf.'

/**
 * The main use case from the brief to the approved texts, on a server that really listens.
 * @returns a summary, and with `keep` the running instance
 */
export async function runDemo(
  options: DemoOptions,
): Promise<{ summary: DemoSummary; instance: DemoInstance }> {
  const { out } = options
  const interactive = !options.yes && out.isTTY === true && process.stdin.isTTY
  const paint = createPaint(out.isTTY === true && !process.env['NO_COLOR'])
  const say = (text: string) => void out.write(`${text}\n`)
  const brief = await readFile(options.brief ?? fileURLToPath(await briefUrl()), 'utf8')
  const instance = await createDemoInstance({
    ...(options.providers && { providers: options.providers }),
    ...(options.allowHosts && { allowHosts: options.allowHosts }),
    ...(options.model && { defaultModel: options.model }),
    writerPaceMs: out.isTTY ? 8 : 1,
  })
  try {
    say(`${paint.bold('Copydesk demo')} · ${instance.url} · data in ${instance.dataDir}`)
    say(
      paint.dim(
        options.model
          ? `Writing with ${options.model}.`
          : 'No key, no network: the built-in writer composes from the brief. It is not a language model.',
      ),
    )
    const started = performance.now()
    const decide = interactive ? decideByAsking : decideByItself(revisionNote)
    say(
      `\nAda (admin of ${instance.tenantName}) posts a brief for ${deliverables.map(({ type }) => type.replaceAll('_', ' ')).join(', ')}.`,
    )
    // Subscribed before the first word, because text is streamed live only.
    const watched = review(instance, decide, { out, paint, say })
    const posted = instance.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring launch', brief, deliverables },
    })
    const [campaign] = await Promise.all([posted, watched])
    const summary = await summarize(instance.admin, campaign.id, (performance.now() - started) / 1000)
    say(showSummary(summary, paint))
    say(next(instance, options.keep, paint))
    return { summary, instance }
  } catch (error) {
    await instance.close(false)
    throw error
  }
}

/** The brief is beside the bundle in the package, and at the root of a clone. */
async function briefUrl(): Promise<URL> {
  const places = [
    '../examples/briefs/spring-launch.md',
    '../../examples/briefs/spring-launch.md',
    '../../../../../examples/briefs/spring-launch.md',
  ]
  for (const place of places) {
    const url = new URL(place, import.meta.url)
    if (
      await readFile(url).then(
        () => true,
        () => false,
      )
    )
      return url
  }
  throw new Error('The example brief is missing from this installation. Name one with --brief FILE.')
}

interface Screen {
  out: NodeJS.WritableStream
  paint: Paint
  say(text: string): void
}

/** Follows the tenant's events: shows text as it is written, and passes each approval to `decide`. */
async function review(instance: DemoInstance, decide: Decide, screen: Screen): Promise<void> {
  const live = createLiveText(screen.out, screen.paint)
  const following = new AbortController()
  let open = deliverables.length
  let decided = Promise.resolve()
  let failed: unknown
  const stop = (error?: unknown) => {
    failed ??= error
    following.abort()
  }
  try {
    for await (const message of instance.admin.stream('dashboard', 'GET /events/stream', {
      signal: following.signal,
      headers: { 'last-event-id': '0' },
    })) {
      const { event } = message
      if (event === 'activity_started') live.started(message.data)
      else if (event === 'text_delta') live.text(message.data.activityId, message.data.delta)
      else if (event === 'activity_completed') live.ended(message.data.activityId)
      else if (event === 'approval_created') {
        const { approvalId, activityIds } = message.data
        for (const id of activityIds) live.ended(id)
        decided = decided
          .then(() => answer(instance, approvalId, decide, live, screen))
          .then((approved) => {
            if (approved) open -= 1
            if (open === 0) stop()
          })
        decided.catch(stop)
      } else if (event === 'activity_failed')
        stop(new Error(`“${message.data.title}” failed: ${message.data.error}`))
    }
  } catch (error) {
    failed ??= error
  }
  if (failed) throw failed
  await settled(instance)
}

/** @returns true when the text was approved */
async function answer(
  instance: DemoInstance,
  approvalId: string,
  decide: Decide,
  live: LiveText,
  { paint, say }: Screen,
): Promise<boolean> {
  const approval = await instance.reviewer.call('dm', 'GET /approvals/:approvalId', {
    params: { approvalId },
  })
  for (const { id } of approval.linkedActivities) await live.pauseAfter(id)
  say(showApproval(approval, paint))
  const decision = await decide(approval)
  await resolveApproval(instance.reviewer, approval, decision)
  const words = {
    approved: paint.green('approved'),
    rejected: paint.red('rejected'),
    revision_requested: paint.yellow('revision requested'),
  }
  say(`  Rita (reviewer): ${words[decision.resolution]}${decision.note ? ` — “${decision.note}”` : ''}`)
  live.goOn()
  return decision.resolution === 'approved'
}

/** The last verdict wakes the writer once more; the campaign's event follows when that run is done. */
async function settled(instance: DemoInstance): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { data } = await instance.admin.call('dashboard', 'GET /activities', { query: { limit: 100 } })
    if (data.every((activity) => activity.status === 'done')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function next(instance: DemoInstance, keep: boolean, paint: Paint): string {
  const lines = keep
    ? [
        `The server keeps running at ${paint.cyan(instance.url)} (API reference at ${instance.url}/docs). Stop it with Ctrl+C; the data stays in ${instance.dataDir}.`,
        `  admin     ${instance.adminLogin.email}  ${instance.adminLogin.password}`,
        `  reviewer  ${instance.reviewerLogin.email}  ${instance.reviewerLogin.password}`,
      ]
    : [
        paint.bold('Next steps'),
        '  copydesk demo --keep     the same, and the server keeps running',
        '  copydesk demo --model M  use a configured model as the writer',
        '  copydesk up              set up your own installation',
        '  copydesk --help          everything else',
      ]
  return lines.join('\n')
}
