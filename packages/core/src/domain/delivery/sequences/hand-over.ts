import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { tryMail } from '../mailing/hand-over.ts'
import { composeNewsletter, type Newsletter, wordNewsletter } from '../mailing/newsletter.ts'
import { mailAddresses } from '../mailing/pictures.ts'
import { type WordedMail, wordMail } from '../mailing/word-mail.ts'
import { assetsOf, type TextAssets } from '../publishing/assets.ts'
import { linkTagsFor } from '../publishing/link-tags/setting.ts'
import { createPlatformWay, type PlatformOutcome } from './by-platform.ts'
import { trySms, wordSms } from './channels.ts'
import type { ClaimedMail } from './claim.ts'

/**
 * Words the mails and text messages of one turn and hands them over, once each: by the e-mail platform, the provider of text messages or
 * the mail ways of this server. @returns what has become of it
 */
export function createHandOver(
  ctx: Ctx,
  sequenceId: string,
): (claim: ClaimedMail) => Promise<PlatformOutcome> {
  const word = createWording(ctx, sequenceId)
  let platform: ReturnType<typeof createPlatformWay> | undefined
  return async (claim) => {
    const { id, to, tenantId, channelId } = claim
    if (claim.channel === 'sms')
      return trySms(ctx, { to, text: wordSms(claim.body, { ...claim, link: linkOf(ctx, claim) }) })
    let worded: WordedMail
    try {
      worded = await word(claim)
    } catch (error) {
      ctx.log.error('a mail could not be written', { mailId: id, error })
      // Nobody has been handed anything: it is tried again.
      return { status: 'waiting', error: 'Something went wrong here' }
    }
    const mail = { id, to, ...worded }
    if (channelId === null) return tryMail(ctx, mail, tenantId)
    platform ??= createPlatformWay(ctx, channelId)
    return platform(mail)
  }
}

type Wording = (claim: ClaimedMail) => Promise<WordedMail>

const linkOf = ({ services: { settings } }: Ctx, { linkKey }: ClaimedMail) =>
  `${settings.baseUrl}/forms/v1/unsubscribe/${linkKey}`

/** Words the mails of one turn. What is the same in every mail of a newsletter is made once. */
function createWording(ctx: Ctx, sequenceId: string): Wording {
  let newsletter: Promise<Newsletter> | undefined
  const shownIn = new Map<string, Promise<TextAssets>>()
  const assetsFor = ({ tenantId, kind, stepId, body }: ClaimedMail): Promise<TextAssets> => {
    const known = shownIn.get(stepId)
    if (known) return known
    const user =
      kind === 'mailing'
        ? { type: 'mailing' as const, id: sequenceId }
        : { type: 'sequence_step' as const, id: stepId }
    const found = assetsOf(ctx, body, { tenantId, ...user })
    shownIn.set(stepId, found)
    return found
  }
  return async (claim) => {
    const { kind, subject, body, values, from } = claim
    const link = linkOf(ctx, claim)
    const assets = await assetsFor(claim)
    if (kind !== 'mailing') return wordMail(claim, { values, from, link }, mailAddresses(ctx, assets))
    newsletter ??= transact(ctx, (txn) => linkTagsFor(txn, claim, 'leads')).then((linkTags) =>
      composeNewsletter(ctx, { subject, body }, { linkTags, assets }),
    )
    return wordNewsletter(await newsletter, { values, from, link })
  }
}
