import { describe, expect, it } from 'vitest'
import { parseRobots } from '../../../packages/core/src/platform/crawl/robots-rules.ts'

const rules = (...lines: string[]) => parseRobots(lines.join('\n'))
/** Which of the paths are allowed. */
const allowed = (text: readonly string[], paths: readonly string[]) =>
  paths.filter((path) => rules(...text).allows(path))

describe('parseRobots', () => {
  it('has the longest rule decide, and of two equally long the one that allows', () => {
    const text = [
      'User-Agent: *',
      'Disallow: /a/',
      'Allow: /a/b/',
      'Disallow: /a/b/c',
      'Allow: /x',
      'Disallow: /x',
    ]
    expect(allowed(text, ['/', '/a', '/a/', '/a/b/', '/a/b/c', '/a/b/cd', '/x', '/xy'])).toEqual([
      '/',
      '/a',
      '/a/b/',
      '/x',
      '/xy',
    ])
  })

  it('takes the groups of its own name together, and then none of those for everyone', () => {
    const text = [
      'user-agent: *',
      'disallow: /',
      'User-Agent: copydesk/2.0',
      'User-agent: other',
      'Disallow: /a # of both',
      '',
      'User-agent: third',
      'Disallow: /b',
      'user-agent: COPYDESK',
      'disallow: /c',
    ]
    expect(allowed(text, ['/', '/a', '/b', '/c'])).toEqual(['/', '/b'])
    expect(allowed(['User-agent: CopydeskTwo', 'Disallow: /'], ['/'])).toEqual(['/'])
    expect(allowed(['User-agent: Copydesk', 'User-agent: *', 'Disallow:'], ['/'])).toEqual(['/'])
  })

  it('reads past lines that belong to no group', () => {
    const text = [
      'Disallow: /early',
      'User-agent: x',
      'Sitemap: /s.xml',
      'Noise',
      'User-agent: *',
      'Disallow: /a',
    ]
    expect(allowed(text, ['/early', '/a', '/b'])).toEqual(['/early', '/b'])
  })

  it.each([
    ['/fish', ['/fish', '/fish.html', '/fishheads'], ['/Fish', '/cat/fish']],
    ['/fish*', ['/fish', '/fishheads'], ['/x']],
    ['/*.php', ['/x.php', '/a/x.php?y'], ['/x', '/x.PHP']],
    ['/*.php$', ['/x.php', '/x.php/y.php'], ['/x.php?y', '/x.php5']],
    ['/a$', ['/a'], ['/ab', '/a/']],
    ['/fish*.php', ['/fish.php', '/fishheads/cat.php?x'], ['/Fish.PHP', '/fish']],
    ['*', ['/', '/x'], []],
    ['/a**b', ['/ab', '/axb'], ['/a', '/b']],
    ['/x*aa$', ['/xaa', '/xaaa', '/xyaa'], ['/xa', '/xaab']],
    ['/a*b*b$', ['/abb', '/axbxb'], ['/ab', '/aab']],
    ['/?q=', ['/?q=1'], ['/?r=1']],
    ['/%7ejoe/', ['/~joe/', '/%7Ejoe/x'], ['/joe/']],
    ['/ä', ['/%C3%A4', '/%c3%a4b'], ['/a']],
    ['/a%2fb', ['/a%2Fb'], ['/a/b']],
  ])('has the pattern %s fit %j, and not %j', (pattern, fitting, others) => {
    expect(allowed(['User-agent: *', `Disallow: ${pattern}`], [...fitting, ...others])).toEqual(others)
  })

  it('finds sitemaps, and the delay of its own group', () => {
    const text = [
      '\uFEFFSitemap: https://example.com/a.xml#x',
      'User-agent: *',
      'Crawl-delay: 20',
      'user-agent: copydesk',
      'crawl-delay: 1.5',
      'sitemap:/b.xml',
    ]
    expect(rules(...text)).toMatchObject({
      crawlDelay: 1.5,
      sitemaps: ['https://example.com/a.xml', '/b.xml'],
    })
    for (const odd of ['', '-1', 'soon', 'NaN'])
      expect(rules('User-agent: *', `Crawl-delay: ${odd}`).crawlDelay).toBeUndefined()
  })

  it('forbids more than is written where there are too many patterns, never less', () => {
    const patterns = Array.from({ length: 1_100 }, (_, index) => `Disallow: /p${index}/*x`)
    const paths = ['/p0/a', '/p0/x', '/p1050/a', '/p1050/x', '/q']
    expect(allowed(['User-agent: *', ...patterns, 'Allow: /p1050/*a'], paths)).toEqual(['/p0/a', '/q'])
  })

  it('allows everything where there is nothing to read', () => {
    for (const text of ['', '<!doctype html><p>Not found', '\0\0', 'User-agent: *', 'Disallow: /'])
      expect(parseRobots(text).allows('/')).toBe(true)
  })
})
