type Attributes = Readonly<Record<string, string>>

/** Elements that begin and end a line; a text does not run on through them. */
const blockTags = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol optgroup p pre search section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)

/** Elements whose content is no text of the page. */
const hiddenTags = new Set(
  (
    'audio button canvas datalist embed head iframe input math meter noembed noframes noscript object progress script select style svg ' +
    'template textarea title video'
  ).split(' '),
)

/** Also an element that a page defines itself: most of them are boxes. */
export const isBlockTag = (tag: string) => blockTags.has(tag) || tag.includes('-')

export function isHidden(tag: string, { hidden, style, 'aria-hidden': aria, open }: Attributes): boolean {
  if (hiddenTags.has(tag) || hidden !== undefined || aria === 'true') return true
  if (tag === 'dialog' && open === undefined) return true
  return style !== undefined && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
}

const boilerplateRoles = /^(?:navigation|banner|contentinfo|complementary|search|menu|menubar)$/

/** Menus, footers and what is beside the content; also the header of a page, as its title is given apart. */
export const isBoilerplate = (tag: string, { role }: Attributes) =>
  tag === 'nav' || tag === 'footer' || tag === 'aside' || (role !== undefined && boilerplateRoles.test(role))
