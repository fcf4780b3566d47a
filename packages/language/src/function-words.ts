/**
 * Words that carry no content of their own: articles, auxiliaries, prepositions, speaker and listener, politeness. A request
 * means the same with them and without. Negations, exceptions, comparisons, modal verbs of what may or will be, other people
 * and times are content and stand in no list here.
 */
const words = `a an the this that it its there here
  i i'm i'd i'll i've me my myself we we're we've we'd we'll us our ours ourselves you you're
  is are am be been being do does have has having got get gets getting
  of for from at in on to with by about into
  and so also too then well ok okay please pls plz kindly thanks thank cheers hey hi hello now right just currently still only
  really actually quickly quick asap maybe perhaps
  what which let lets`

export const functionWords: ReadonlySet<string> = new Set(words.split(/\s+/))

/** Words that ask to be shown something: in a question they add nothing. */
export const displayWords: ReadonlySet<string> = new Set(
  'show list display view see find search look looking give tell print check know hear want need all any anything every everything each'.split(
    ' ',
  ),
)

/** Words that take something out, deny it or make it depend on something: they are never a part of a title. */
export const exclusionWords: ReadonlySet<string> = new Set(
  `not no non none never neither nor nothing nobody without except excluding exclude excludes excepting besides but unless if otherwise hardly barely apart aside isn't isnt aren't arent wasn't wasnt weren't werent don't dont doesn't
  doesnt didn't didnt haven't havent hasn't hasnt hadn't won't wont can't cant cannot couldn't shouldn't wouldn't shouldnt
  wouldnt couldnt`.split(/\s+/),
)

/** How people write other words in haste. */
export const shortForms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    whats: 'what',
    wats: 'what',
    wat: 'what',
    wot: 'what',
    hows: 'how',
    whos: 'who',
    wheres: 'where',
    whens: 'when',
    theres: 'there',
    thats: 'that',
    teh: 'the',
    u: 'you',
    r: 'are',
    ur: 'your',
    coz: 'because',
    cuz: 'because',
    thx: 'thanks',
    tomorow: 'tomorrow',
    tmrw: 'tomorrow',
    yday: 'yesterday',
  }),
)
