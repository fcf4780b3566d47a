import { describe, expect, it } from 'vitest'
import {
  atOrigin,
  documentKind,
  hasRepeatedSegments,
  isBelow,
  isSiteMove,
  longestUrl,
  normalizeUrl,
  patternOf,
} from '../../../packages/core/src/platform/crawl/urls.ts'

describe('normalizeUrl', () => {
  it.each([
    ['HTTP://Example.COM:80/A?b=1#c', 'http://example.com/A?b=1'],
    ['https://example.com.:443', 'https://example.com/'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['https://example.com/?z=1&utm_source=x&a=2&UTM_Campaign=y&gclid=3', 'https://example.com/?z=1&a=2'],
    ['https://example.com/?utm_source=x#top', 'https://example.com/'],
    ['https://example.com/?#', 'https://example.com/'],
    ['https://example.com/a/../b/./c', 'https://example.com/b/c'],
    ['https://example.com/ä?q=ö', 'https://example.com/%C3%A4?q=%C3%B6'],
  ])('writes %s as %s', (given, url) => {
    expect(normalizeUrl(given)).toBe(url)
    expect(normalizeUrl(url)).toBe(url)
  })

  it('resolves against the page, and keeps the order of a query', () => {
    expect(normalizeUrl('../b?y=1&x=2&y=3', 'https://example.com/a/c/d')).toBe(
      'https://example.com/a/b?y=1&x=2&y=3',
    )
    expect(normalizeUrl('//cdn.example.com/x', 'https://example.com/')).toBe('https://cdn.example.com/x')
  })

  it.each([
    'mailto:a@example.com',
    'javascript:void 0',
    'tel:1',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/html,x',
    'http://user:pass@example.com/',
    'http://user@example.com/',
    'http://',
    `https://example.com/${'x'.repeat(longestUrl)}`,
    `https://example.com/${'ä'.repeat(500)}`,
  ])('has no form for %s', (given) => {
    expect(normalizeUrl(given)).toBeUndefined()
  })
})

describe('atOrigin', () => {
  const scope = { origin: 'https://www.example.com', aliases: ['http://example.com'], pathPrefix: '/' }

  it('writes addresses of the aliases and of http as those of the origin, and knows no others', () => {
    expect(atOrigin('https://www.example.com/a', scope)).toBe('https://www.example.com/a')
    expect(atOrigin('http://www.example.com/a?b', scope)).toBe('https://www.example.com/a?b')
    expect(atOrigin('http://example.com/', scope)).toBe('https://www.example.com/')
    for (const other of [
      'https://example.com/',
      'https://shop.example.com/',
      'https://www.example.com.evil.example/',
      'https://www.example.com:8443/',
      'http://10.0.0.1/',
    ])
      expect(atOrigin(other, scope)).toBeUndefined()
  })
})

describe('isBelow', () => {
  it('compares whole segments', () => {
    for (const prefix of ['/docs', '/docs/']) {
      expect(
        ['/docs', '/docs/', '/docs/a', '/docs?x'].every((path) => isBelow(new URL(path, 'http://a'), prefix)),
      ).toBe(true)
      expect(
        ['/', '/docsets', '/a/docs', '/DOCS'].some((path) => isBelow(new URL(path, 'http://a'), prefix)),
      ).toBe(false)
    }
    expect(isBelow(new URL('http://a/'), '/')).toBe(true)
  })
})

describe('isSiteMove', () => {
  it.each([
    ['http://a.com/', 'https://a.com/', true],
    ['http://a.com/', 'https://www.a.com/home', true],
    ['https://www.a.com/', 'https://a.com/', true],
    ['http://a.com:8080/', 'http://www.a.com:8080/', true],
    ['https://a.com/', 'http://a.com/', false],
    ['http://a.com/', 'http://a.com:8080/', false],
    ['https://a.com/', 'https://shop.a.com/', false],
    ['https://a.com/', 'https://a.org/', false],
    ['https://a.com/', 'https://www.a.com.evil.org/', false],
  ])('from %s to %s: %s', (from, to, expected) => {
    expect(isSiteMove(from, to)).toBe(expected)
  })
})

describe('traps', () => {
  it('are seen in segments that repeat three times', () => {
    expect(hasRepeatedSegments(new URL('http://a/x/y/x/y/x/y'))).toBe(true)
    expect(hasRepeatedSegments(new URL('http://a/x//x///x'))).toBe(true)
    expect(hasRepeatedSegments(new URL('http://a/2024/01/01/x'))).toBe(false)
  })

  it('have one pattern for all numbers and values', () => {
    const first = patternOf(new URL('http://a/cal/2024/1?day=2'))
    expect(patternOf(new URL('http://a/cal/1999/12?week=3&x'))).toBe(first)
    expect(patternOf(new URL('http://a/cal/2024/1'))).toBe(patternOf(new URL('http://a/cal/1/22')))
    expect(patternOf(new URL('http://a/about'))).toBeUndefined()
  })
})

describe('documentKind', () => {
  it('goes by the ending of the path', () => {
    expect(documentKind(new URL('http://a/x.PDF?a=b'))).toBe('PDF')
    expect(documentKind(new URL('http://a/x.docx'))).toBe('DOCX')
    expect(documentKind(new URL('http://a/x?file=b.pdf'))).toBeUndefined()
    expect(documentKind(new URL('http://a/pdf'))).toBeUndefined()
  })
})
