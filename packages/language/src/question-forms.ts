/** The forms of questions: the words by which each thing is asked for, in small letters without punctuation. */

/** Words that go along with a question about what someone has decided. */
export const decidingForm =
  /\b(?:who|whom|when|why|how come|yet|already|did|was|were|been|the reason)\b|(?<=^(?:did|has|have|was|were) )(?:anyone|anybody|someone|somebody)\b/

export const helpForm =
  /^(?:help|commands|help me)$|\bwhat (?:can|could|do) (?:you|i) (?:do|ask|say|understand|type|know)\b(?: here)?|\bwhat are you\b|\bhow does (?:this|it) work\b|\bwhat commands(?: are there| do you know)?\b|\bhow (?:do|can|could|should) (?:i|we) (?:approve|reject|revise|pause|resume|retry|cancel|escalate|claim|release|snooze|dismiss|forward|use|ask|do|see|find|start)(?: (?:something|anything|things|it|this|one|a post|posts|approvals|agents|an agent|work|you))?\b/

export const verdictOfForm =
  /\b(?:who|whom|when|why|how come|anyone|anybody|someone|somebody)\b|^(?:has|was|were|did|is|have)\b/

export const waitingForm = /\bhow (?:long|many (?:days|hours|minutes))\b|\bsince when\b/

export const expiringForm =
  /^when\b|\bhow (?:long|much time) (?:until|till|before|is left|do i have|do we have)\b/

export const logForm =
  /\b(?:what (?:has |have |had |is )?(?:happen(?:ed|s|ing)|went wrong|gone wrong|become of|became of)(?: (?:to|with))?|history|timeline|logs?|why|who (?:has )?(?:changed|wrote|paused|cancelled|made))\b/

export const costForm =
  /\b(?:costs?|costing|spen[dt]s?|spending|expensive|dearest|priciest|bill|money|usd|dollars?|paid|pay|price|expenses?|burn(?:ed|t)?)\b/

export const waitersForm =
  /\bwho(?:se)? (?:is |are )?(?:still |all |else )?(?:waiting|waits?|approvals? (?:wait|are)|wait)\b|\b(?:which|what) (?:tenants?|clients?|customers?) (?:is |are )?(?:still )?wait(?:ing|s)?\b/

export const queuesForm =
  /\b(?:queues|backlogs?|agent queue|queue of (?:the |all )?(?:agents?|@role)|dead letters?)\b|\bqueue\b(?=.*@role)|(?<=@role.*)\bqueue\b/

export const tenantsForm =
  /^(?:what |which |who |show |list |how many |all |my |our |see |tell me )*(?:are |is )?(?:all |the |my |our |me )*(?:tenants|clients|customers|accounts)\b(?: (?:do i|are there|i|we|do we|have|there|mine|work|for|are|mine))*$/

export const newsForm =
  /\b(?:what (?:has |have |had |else )?(?:happen(?:ed|s)|changed|gone on|been going on|been happening|went on)|happened|(?:did|have|has) (?:anything|something) (?:happen(?:ed)?|changed?)|what did (?:i|we) miss|news|(?:what )?(?:is )?new|changed)\b/

export const agentWorkForm =
  /\b(?:do|does|doing|done|did|finish(?:ed)?|write|wrote|written|make|made|produce[d]?|worked? on|working on|up to|been|get done|got done|delivered?|completed?|run|ran)\b/

export const urgentForm = /\b(?:urgent(?:ly)?|pressing|burning)\b/

export const feedForm =
  /\b(?:feed|inbox|to ?do|on (?:my|our) (?:plate|desk|list)|needs? (?:me|us)(?: first| next| now)?|(?:should|must) (?:i|we) (?:do|look|start|begin)(?: (?:at|with))?(?: first| next)?|most urgent|what next|what is next|next|up next|next one|first|first thing|important|priorit(?:y|ies)|news|new)\b/

export const askingForm =
  /\b(?:came in|come in|arrived|submitted|requested|asked for|handed in|was asked|were asked)\b/

export const statusForm =
  /\b(?:status|overview|summary|how (?:is|are|goes|do) (?:things|everything|it going|we|they|all|@tenant)(?: (?:doing|going|looking|standing))?|how (?:is|does)? ?@tenant (?:doing|look|stand|going)|how @tenant(?: doing)?|everything (?:ok|okay|fine|alright|well)|going on|what is up|what up|where do (?:we|they) stand|how do we stand|how does everything stand|(?:present )?state of(?: things)?)\b/

export const knowledgeForm = /\b(?:knowledge ?base|kb|datasets?)\b/

const base = '(?:(?:the|our|my|its|their|all) )*(?:@tenant )?(?:knowledge ?base|kb)'
const ofTenant = '(?: (?:of|at|for|from) (?:the )?(?:tenant |client |customer )?@tenant)?'
const wanted = '(?<wanted>.+)'

/** How what is in the knowledge base is searched for; in the group `wanted` stands what is looked for. */
export const knowledgeSearchForms = [
  new RegExp(`^(?:search|look) (?:(?:in|through|into|at|up) )?${base}${ofTenant} (?:for|about) ${wanted}$`),
  new RegExp(
    `^(?:search|look|find|show me|show)(?: up)?(?: for)? ${wanted} (?:in|from|at) ${base}${ofTenant}$`,
  ),
  new RegExp(
    `^what (?:does|do) ${base}${ofTenant} (?:say|know|tell us|tell me|tell) (?:about|on|of) ${wanted}$`,
  ),
] as const
