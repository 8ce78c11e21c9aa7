import { MANY, type Rule, TOKEN, UP_TO_SPACE } from './redact-parts.ts'

const TOKEN_MARKS = [
  'gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glpat- xox xapp- k_live_ k_test_ hf_ npm_ pypi-ag _v1_ hvb. hvs.',
  'hvr. aiza sk- nvapi- swmtkn-1- tskey- at_ gldt- glrt- glptt- glcbt- glft- glsoat- glagent- glsa_ glc_',
  'atatt3 shpss_ shpca_ shppa_ sntrys_ sntryu_ nrak- whsec_ r8_ gsk_ ya29. gocspx- age-secret-key-1 .local.',
  '.public. pplx- xai-',
].flatMap((marks) => marks.split(' '))
/** Continues over dots inside a token, and not over one at the end of a sentence. */
const DOTTED = new RegExp(`(?:[A-Za-z0-9_-]|\\.(?=[A-Za-z0-9_-]))${MANY}`, 'y')
const UP_TO_LINE = new RegExp(`[^"'\\n]${MANY}`, 'y')

/** Tokens and keys, by the marks of their issuers and by headers. */
export const TOKEN_RULES: readonly Rule[] = [
  // RFC 7519 compact form, and of RFC 7516, in which the second of five parts may be empty; `eyJ` is base64url of `{"`.
  {
    class: 'token',
    needs: ['eyj'],
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.(?:[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{1,2048}|\.|$)|\.[A-Za-z0-9_-]{4,2048})/g,
    rest: () => DOTTED,
  },
  // Tokens by the prefixes of their issuers, each documented by GitHub, GitLab, Slack, Stripe, Hugging Face, npm, PyPI,
  // DigitalOcean, HashiCorp, Google, Anthropic and OpenAI, and by NVIDIA, Docker, Tailscale, Grafana, Atlassian, Shopify, Sentry, New Relic,
  // Replicate, Groq, age and PASETO. `sk-ssh-` and `sk-ecdsa-` are types of SSH public keys.
  {
    class: 'token',
    needs: TOKEN_MARKS,
    pattern:
      /(?<![A-Za-z0-9_-])(?:gh[oprsu]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent)-|glsa_|glc_|xox[abcdeoprs]-|xapp-|[rs]k_(?:live|test)_|hf_|npm_|pypi-Ag|do[opr]_v1_|hv[bsr]\.|AIza|sk-(?!ssh-|ecdsa-)|nvapi-|SWMTKN-1-|tskey-|dckr_[op]at_|ATATT3|shp(?:at|ss|ca|pa)_|sntry[su]_|NRAK-|whsec_|r8_|gsk_|ya29\.|GOCSPX-|AGE-SECRET-KEY-1|v[1-4]\.(?:local|public)\.|pplx-|xai-)(?:[A-Za-z0-9_-]{16,512}|[A-Za-z0-9_-]{4,15}$)/g,
    rest: () => TOKEN,
  },
  {
    class: 'token',
    needs: ['authorization'],
    pattern:
      /((?<!\w)authorization["']?[ \t]{0,20}[:=][ \t]{0,20}["']?(?:(?:bearer|basic|token|apikey|negotiate|splunk|geniekey|ssws|key|bot|oauth|ntlm|sharedkey(?:lite)?) |p(?:ve|bs)apitoken=))(?!\[redacted:)[^\s"',;]{8,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  // The same without a scheme, and as omhttp of rsyslog has it.
  {
    class: 'token',
    needs: ['authorization'],
    pattern:
      /((?<!\w)authorization["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)(?!\[redacted:|p(?:ve|bs)apitoken=)(?:[^\s"',;]{16,4096}|[^\s"',;]{8,15}$)/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'token',
    needs: ['httpheadervalue='],
    pattern: /((?<!\w)httpheadervalue=")(?!\[redacted:)[^"\n]{1,4096}/gi,
    rest: () => UP_TO_LINE,
  },
  {
    class: 'token',
    needs: ['cookie'],
    pattern:
      /((?<![\w-])(?:set-)?cookie["']?[ \t]{0,20}:[ \t]{0,20}["']?)(?!\[redacted:)(?=[^\s=]{1,128}=)[^"'\n]{4,4096}/gi,
    rest: () => UP_TO_LINE,
  },
  {
    class: 'token',
    needs: ['bearer '],
    pattern: /((?<!\w)bearer )(?!\[redacted:)[A-Za-z0-9._~+/=-]{16,4096}/gi,
    rest: () => UP_TO_SPACE,
  },
  {
    class: 'token',
    needs: ['x-', '-token', '-key'],
    pattern:
      /((?<![\w-])(?:x-(?:[a-z]{1,20}-){0,3}(?:token|key)|private-token|job-token|deploy-token|circle-token|(?:[a-z]{1,20}-){1,4}(?:api|application|subscription|auth)-key)["']?[ \t]{0,20}:[ \t]{0,20}["']?)(?!\[redacted:)[^\s"',;]{8,4096}/gi,
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
  // Without a prefix of their own: SendGrid, in two parts; Microsoft Entra; HashiCorp Vault before 1.10; Ceph, 28 bytes that begin with a type.
  {
    class: 'token',
    needs: ['sg.'],
    pattern: /(?<![\w.-])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g,
  },
  {
    class: 'token',
    needs: ['q~'],
    pattern: /(?<![\w~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{16,64}/g,
  },
  {
    class: 'token',
    needs: ['s.'],
    pattern: /(?<![\w./-])s\.[A-Za-z0-9]{24}(?![\w.-])/g,
  },
  {
    class: 'token',
    needs: ['=='],
    pattern: /(?<![A-Za-z0-9+/])AQ[A-Za-z0-9+/]{36}==(?!=)/g,
  },
  // nvme-gen-dhchap-key(1), nvme-gen-tls-key(1).
  {
    class: 'token',
    needs: ['dhhc-1:', 'nvmetlskey-1:'],
    pattern: /((?<!\w)(?:DHHC-1|NVMeTLSkey-1):\d{2}:)[A-Za-z0-9+/=]{8,512}/g,
  },
  // ip-xfrm(8) and ip-macsec(8): keys of algorithms and of associations.
  {
    class: 'token',
    needs: [' 0x'],
    pattern: /((?<!\w)(?:enc|auth|auth-trunc|aead) ["']?[\w.,()-]{1,64}["']? )0x[0-9A-Fa-f]{8,512}/g,
  },
  {
    class: 'token',
    needs: [' key '],
    pattern: /((?<!\w)(?:on|off) key [0-9A-Fa-f]{1,32} )[0-9A-Fa-f]{32,64}(?![0-9A-Fa-f])/g,
  },
]
