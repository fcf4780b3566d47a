import { parseHTML } from 'linkedom'
import type { RealWordPress } from './real-wordpress.ts'

/**
 * Opens the screen of a real WordPress that asks for an application password, as its user in a browser without scripts, who logs in
 * and agrees.
 * @returns where the person goes from there
 */
export async function agreeOnScreen(site: RealWordPress, authUrl: string): Promise<URL> {
  const { hostname, port } = new URL(site.url)
  const cookies = new Map([['wordpress_test_cookie', 'WP%20Cookie%20check']])
  const open = async (url: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const sent = form && { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(url, { ...sent, headers: { cookie }, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined && value !== undefined) cookies.set(name, value)
    }
    return answer
  }
  const { username } = site.login
  const login = { log: username, pwd: site.password, testcookie: '1' }
  const welcome = await open(`${site.url}/wp-login.php`, login)
  if (welcome.status !== 302) throw new Error(`${hostname}:${port} does not let ${username} in`)
  const screen = await open(authUrl)
  const { document } = parseHTML(await screen.text())
  const form = document.querySelector('form[action*="authorize-application"]')
  if (!form) throw new Error(`There is no form at ${authUrl} (${screen.status})`)
  const inputs = [...form.querySelectorAll('input:not([type=submit])')]
  const fields = inputs.map((input) => [input.getAttribute('name'), input.getAttribute('value')])
  const action = new URL(form.getAttribute('action') ?? '', authUrl).href
  const agreed = await open(action, { ...Object.fromEntries(fields), approve: 'yes' })
  const location = agreed.headers.get('location')
  if (location === null) throw new Error(`${action} leads nowhere (${agreed.status})`)
  return new URL(location)
}
