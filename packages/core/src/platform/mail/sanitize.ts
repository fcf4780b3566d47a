import type { IOptions } from 'sanitize-html'

/** Values of a style that load nothing and run nothing. */
const harmless = [/^(?!.*(?:url|expression|image)\s*\()[\w\s#%(),.'"/+-]{1,200}$/i]
const styles = [
  'background-color border border-collapse border-color border-radius color direction display font font-family font-size',
  'border-top border-right border-bottom border-left font-style font-weight height letter-spacing line-height',
  'list-style-type margin margin-top margin-right margin-bottom margin-left max-width min-width overflow-wrap',
  'padding padding-top padding-right padding-bottom padding-left text-align text-decoration text-transform',
  'vertical-align white-space width',
].flatMap((line) => line.split(' '))

const tags = [
  'a abbr b blockquote br caption center code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins li mark ol p pre s',
  'small span strong sub sup table tbody td tfoot th thead tr u ul',
].flatMap((line) => line.split(' '))

const options: IOptions = {
  allowedTags: tags,
  allowedAttributes: {
    '*': ['align', 'bgcolor', 'dir', 'height', 'lang', 'style', 'title', 'valign', 'width'],
    a: ['href'],
    img: ['alt', 'src'],
    table: ['border', 'cellpadding', 'cellspacing', 'role'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedStyles: { '*': Object.fromEntries(styles.map((name) => [name, harmless])) },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  nonTextTags: ['head', 'noscript', 'option', 'script', 'style', 'textarea', 'title'],
  nestingLimit: 100,
}

/** HTML for a mail without anything that runs, loads style sheets, asks for input or hides where it leads. */
export async function sanitizeHtml(html: string): Promise<string> {
  const { default: sanitize } = await import('sanitize-html')
  return sanitize(html, options)
}
