import type { RawReply } from '../../gateway/raw.ts'
import { escapeHtml } from '../../platform/mail/text.ts'

/**
 * A page that says one thing, loads nothing and runs nothing.
 * @param button a button that asks for the same address by POST
 */
export function messagePage(
  title: string,
  text: string,
  button?: string,
): RawReply & { headers: Record<string, string> } {
  const form = button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${form}</body>
</html>
`,
  }
}
