import { type Rule, TOKEN, UP_TO_SPACE } from './redact-parts.ts'

const TOKEN_MARKS = [
  ...['gho_', 'ghp_', 'ghr_', 'ghs_', 'ghu_', 'github_pat_', 'glpat-', 'xox', 'xapp-', 'k_live_', 'k_test_', 'hf_'],
  ...['npm_', 'pypi-ag', '_v1_', 'hvb.', 'hvs.', 'hvr.', 'aiza', 'sk-'],
]

export const TOKEN_RULES: readonly Rule[] = [
  // RFC 7519 compact form; `eyJ` is base64url of `{"`.
  {
    class: 'token',
    needs: ['eyj'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{0,2048}|$)/g,
    rest: () => TOKEN,
  },
  // Tokens by the prefixes of their issuers, each documented by GitHub, GitLab, Slack, Stripe, Hugging Face, npm, PyPI,
  // DigitalOcean, HashiCorp, Google, Anthropic and OpenAI. `sk-ssh-` and `sk-ecdsa-` are types of SSH public keys.
  {
    class: 'token',
    needs: TOKEN_MARKS,
    pattern:
      /(?<![A-Za-z0-9_-])(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|[rs]k_(?:live|test)_|hf_|npm_|pypi-Ag|do[opr]_v1_|hv[bsr]\.|AIza|sk-(?!ssh-|ecdsa-))(?:[A-Za-z0-9_-]{16,512}|[A-Za-z0-9_-]{4,15}$)/g,
    rest: () => TOKEN,
  },
  {
    class: 'token',
    needs: ['authorization'],
    pattern:
      /((?<!\w)authorization["']?[ \t]{0,20}[:=][ \t]{0,20}["']?(?:bearer|basic|token|apikey|negotiate) )(?!\[redacted:)[^\s"',;]{8,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'token',
    needs: ['bearer '],
    pattern: /((?<!\w)bearer )(?!\[redacted:)[A-Za-z0-9._~+/=-]{16,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'token',
    needs: ['x-', '-token'],
    pattern:
      /((?<![\w-])(?:x-(?:[a-z]{1,20}-){0,3}(?:token|key)|private-token|job-token|deploy-token)["']?[ \t]{0,20}:[ \t]{0,20}["']?)(?!\[redacted:)[^\s"',;]{8,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'cloud-key',
    needs: ['secret'],
    pattern:
      /((?<!\w)(?:aws_)?secret_?access_?key["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  },
  // IAM identifiers: long-term and temporary access keys.
  {
    class: 'cloud-key',
    needs: ['akia', 'asia'],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)(?:[A-Z2-7]{16}(?![A-Za-z0-9])|[A-Z2-7]{4,15}$)/g,
  },
]
