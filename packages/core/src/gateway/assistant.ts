import { assistantRight, type Principal } from '../kernel/context.ts'
import { DomainError } from '../kernel/errors.ts'
import { header, type RequestContext } from './request-context.ts'

const longestName = 100

/**
 * An assistant names itself in `X-Copydesk-Assistant`: the name is kept for the record, and the request is held to what the
 * credential lets an assistant do. `X-Copydesk-Consent` names what a person has agreed to, for the record.
 * @throws DomainError `FORBIDDEN`
 */
export function checkAssistant(x: RequestContext): Promise<void> | void {
  const said = header(x.incoming, 'x-copydesk-assistant')
  if (said === undefined) return
  x.assistant = nameOf(said)
  const { principal } = x
  if (!principal) return
  const right = assistantRight(principal)
  if (right === 'none') throw new DomainError('FORBIDDEN', 'This API key is not for assistants')
  if (x.endpoint.def.onlyReads) return
  if (right === 'decide') return readConsent(x, principal)
  throw new DomainError(
    'FORBIDDEN',
    principal.type === 'api_key'
      ? 'With this API key an assistant only reads; a key with the right to decide can do this'
      : 'With a login an assistant only reads; an API key with the right to decide can do this',
  )
}

/** The consent of a person that the act is carried out under, which a program that has asked for one names. */
function readConsent(x: RequestContext, principal: Principal): Promise<void> | void {
  const id = header(x.incoming, 'x-copydesk-consent')
  const { consentInUse } = x.runtime.ports
  if (id === undefined || !consentInUse) return
  const found = consentInUse(principal, id)
  if (found instanceof Promise) return found.then((consent) => void (x.consent = consent))
  x.consent = found
}

/** A name that can stand in a log and on a screen, whatever someone calls it. */
function nameOf(said: string): string {
  const name = said
    .replace(/[^\x20-\x7e]+/g, '?')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, longestName)
  return name === '' ? 'unnamed' : name
}
