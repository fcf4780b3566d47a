const it = '(.{1,80}?)'

/**
 * How people ask for something to be done, in small letters without punctuation. `$1` is what stands between the parts of a
 * verb. The first that fits wins.
 */
export const verbs = [
  [
    'campaign',
    /\b(?:start|create|launch|kick off|set up|begin|plan|make|open|run|add|order)\b(?= (?:[^#@ ]+ ){0,6}campaigns?\b)/,
  ],
  ['undo', new RegExp(`\\b(?:take|roll|turn) ${it} back\\b`)],
  ['undo', /\b(?:undo|revert|take back|roll back|rollback|unapprove|unreject|unsend)\b/],
  [
    'forward',
    new RegExp(`\\b(?:send|pass|give|show) ${it} (?:on )?to (?:the |our |their )?(?:client|customer)\\b`),
  ],
  [
    'forward',
    /\b(?:send to (?:the )?(?:client|customer)|forward|let the (?:client|customer) decide on|ask the (?:client|customer) about)\b/,
  ],
  ['revise', new RegExp(`\\b(?:send|give|hand) ${it} back(?: for changes| for revision)?\\b`)],
  [
    'revise',
    /\b(?:send back|revise|rework|(?:request|ask for|want) (?:a )?(?:changes?|revisions?|rework|new version|another version)(?: (?:to|on|of|for|from))?)\b/,
  ],
  ['reject', /\b(?:reject|decline|deny|refuse|turn down|say no to|veto|disapprove)\b/],
  ['approve', new RegExp(`\\b(?:sign|wave|let) ${it} (?:off|through)\\b`)],
  [
    'approve',
    /\b(?:approve|accept|sign off(?: on)?|greenlight|green light|lgtm|give (?:my |the |your )?(?:ok|okay|approval|green light|go ahead|thumbs up) (?:to|for))\b/,
  ],
  ['escalate', new RegExp(`\\b(?:mark|set|treat) ${it} (?:as|to)(?= (?:high|medium))`)],
  ['escalate', /\b(?:escalate|raise (?:the )?risk (?:of|for|on)|raise)\b/],
  ['claim', new RegExp(`\\bassign ${it} to (?:me|myself)\\b`)],
  ['claim', /\b(?:claim|i take|i will take|i'll take|grab|reserve|assign to me)\b/],
  ['snooze', new RegExp(`\\b(?:hide|put aside|put away) ${it}(?= (?:until|till|for) )`)],
  ['snooze', /\b(?:snooze|postpone|defer|remind me (?:of|about)|remind me)\b/],
  ['dismiss', new RegExp(`\\b(?:put) ${it} (?:aside|away)\\b`)],
  ['dismiss', /\b(?:dismiss|hide|put aside|ignore)\b/],
  ['pause', new RegExp(`\\bput ${it} on hold\\b`)],
  ['pause', /\b(?:pause|hold back|hold|suspend|freeze|halt)\b/],
  ['retry', new RegExp(`\\b(?:try|run|start) (?!the \\w+ (?:for|of|at)\\b)${it} (?:again|once more)\\b`)],
  ['retry', /\b(?:retry|rerun|restart|redo|repeat|try again|run again)\b/],
  ['resume', /\b(?:resume|unpause|continue|carry on(?: with)?|go on(?: with)?|unfreeze|let go on)\b/],
  ['release', /\b(?:release|unclaim|let go of|give up)\b/],
  ['cancel', new RegExp(`\\bcall ${it} off\\b`)],
  ['cancel', /\b(?:cancel|abort|kill|call off|scrap|drop|delete|discard)\b/],
  ['stop', /\bstop\b/],
  ['run', /\b(?:run|order|commission)\b/],
  ['run', /\b(?:have|ask|get|let|tell|make|task)(?= (?:the |our |their |an? )?@role)/],
  ['run', /\b(?:write|draft|compose|produce)(?= )/],
  ['compare', /\b(?:compare|diff)\b/],
  ['tail', /\b(?:tail|follow|watch)\b/],
  ['open', /\b(?:open|go to|switch to|jump to)\b/],
] as const satisfies ReadonlyArray<readonly [string, RegExp]>

/** What can be asked to be done. `stop` may be a pause or the end: anyone who says it is asked. */
export type Verb = (typeof verbs)[number][0]

/** Words of which one is meant when a word that no one knows is one letter away. */
export const keywords =
  `approve accept reject decline revise escalate forward claim release pause resume retry cancel snooze
  dismiss compare continue unpause status waiting waits pending running blocked failed paused agents
  agent queue queues tenant tenants campaign happened spent spend costs month today yesterday
  approvals approval everything because expiring expires older medium history oldest newest urgent
  approved rejected overdue expire undo`.split(/\s+/)

/** Openings that ask to be told something, whatever verb comes after them. */
export const asking =
  /^(?:what|which|who|whom|whose|how|why|when|where|show|list|display|view|see|find|give me|tell me|count|read|is|are|was|were|do(?! not\b)|does|did|has|have(?! (?:the |our |their |an? )?@role)|any|anything|anyone|should|am|search|look)\b/

/** What makes a request polite and changes nothing. */
export const fillers =
  /^(?:please|pls|plz|hey|hi|hello|hallo|ok(?:ay)?|yes|yeah|copydesk|kindly|just|now|then|and|also|so|well|thanks|thank you|quickly|quick|could you|can you|would you(?: mind)?|will you|can i|may i|could i|could we|can we|i want(?: you)? to|i would like(?: you)? to|i'd like(?: you)? to|i need(?: you)? to|i wish to|we need to|we want to|let us|let me|let(?= \\w+ #)|go ahead and|go and|try to|looks good|fine|good|perfect|great) /

export const negation =
  /\b(?:don't|dont|do not|never|not|no longer|without|won't|shouldn't|must not|mustn't|cannot|can't)\b/

export const approvalKinds = [
  ['content_review', /\bcontent reviews?\b/],
  ['content_direction', /\bcontent directions?\b/],
  ['brand_direction', /\bbrand (?:directions?|questions?|approvals?)\b/],
  ['strategy_change', /\bstrategy (?:changes?|approvals?|questions?)\b/],
  ['budget_authorization', /\bbudget (?:authori[sz]ations?|requests?|questions?|approvals?)\b/],
  ['channel_action', /\bchannel (?:actions?|approvals?|questions?)\b/],
] as const satisfies ReadonlyArray<readonly [string, RegExp]>

/** What an approval is about, as people ask for it. */
export type AskedApproval = (typeof approvalKinds)[number][0]

export const deliverableKinds = [
  ['blog_post', /\b(?:blog ?posts?|blogs?|articles?)\b/],
  ['social_post', /\b(?:social(?: media)? posts?|socials?)\b/],
  ['gbp_post', /\b(?:gbp posts?|(?:google )?business profile posts?)\b/],
  ['ad_copy', /\b(?:ad cop(?:y|ies)|ads|ad|adverts?)\b/],
  ['email_newsletter', /\b(?:email newsletters?|newsletters?|e ?mails?)\b/],
  ['backlink', /\bback ?links?\b/],
  ['website_audit', /\b(?:(?:website|site) audits?|audits?)\b/],
  ['performance_report', /\b(?:performance reports?|reports?)\b/],
] as const satisfies ReadonlyArray<readonly [string, RegExp]>

/** What is made, as people ask for it. */
export type AskedDeliverable = (typeof deliverableKinds)[number][0]

/** Who makes what, for a task that names no agent. */
export const makers: ReadonlyArray<readonly [string, RegExp]> = [
  ['blog_writer', /\b(?:blog|article)/],
  ['email_writer', /\b(?:newsletter|e ?mail)/],
  ['ads_writer', /\b(?:ads?|advert|ad copy)\b/],
  ['outreach_writer', /\boutreach\b/],
  ['social_writer', /\b(?:social|post|tweet)/],
]

/** Words that name nothing by themselves. */
export const smallWords = new Set(
  `model models role roles burn does rate far amount average expense expenses a about above account active activities activity actual actually after again against agent agents ago
  all already also always am an and any anybody anyone anything approval approvals approve approved
  april are around as asap asked at august awaiting away back be been before being below bill bit
  blocked both breakdown budget but by call called campaign campaigns can canceled cancelled changed
  claimed client clients company compared content copy cost costing costs could current currently
  customer customers day days december decide decided decision decisions declined deliverable
  deliverables did different dismissed display do doing dollar dollars done down draft drafts due each
  either else entire entirely error errors escalated ever every everybody everyone everything expensive
  expire expired expires expiring failed failing february feed few fifth find fine first for forwarded
  fourth friday from get gets give given go goes going good got great had happen happened happening has
  have having he headline held hello help her here hers hey hi high him his history hour hours how i i'd
  i'm i've id ids if immediately in inbox instead into is it item items its itself january job jobs july
  june just keep kept kind know last latest least less let like list little log logs long look looking
  looks lot low made make makes many march may me medium mine minute minutes moment monday money month
  more most much must my myself name named need needed needs new newest news next nice no nobody none nor not
  nothing november now number october of off ok okay old older oldest on once one ones only open or
  order other others our ours out outstanding over overall overview own paid paused pay pending people
  per perhaps piece pieces please possible post posts present price put question questions queue queues
  quick quickly rather ready real really recent recently reject rejected report request requests resumed
  retried review reviewed reviews right risk risks risky role run running runs same saturday say search
  second see seen sent september she should show shown side since snoozed so some somebody someone
  something soon spend spending spent status still stopped stuck stuff summary sunday sure task tasks
  team tell tenant tenants text texts than thank thanks that the their theirs them themselves then there
  these they thing things third this those through thursday till time timeline title titled to today
  together tomorrow too top total tuesday under until up upon us usd use verdict verdicts version
  versions very via view wait waiting waits want wants was way we wednesday week weeks well were what
  when where whether which while who whole whom why will with within without work worked working works
  would written wrong wrote year yes yesterday yet you your yours`.split(/\s+/),
)

/** Words that take something out of what is meant, which is not understood. */
export const exceptions =
  /\b(?:except|excluding|exclude|besides|aside from|apart from|other than|rather than|instead of|all but|everything but|but (?:the|those|not|without)|not|non)\b/

/** Words that make an act depend on something, which is not understood. */
export const conditions = /\b(?:if|unless|when|as soon as)\b/
