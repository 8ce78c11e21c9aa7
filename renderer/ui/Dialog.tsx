import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Heading, Modal, ModalOverlay, Button as Press, Dialog as Spoken } from 'react-aria-components'
import { Icon } from './Icon.tsx'

export interface DialogProps {
  readonly title: string
  readonly isOpen?: boolean
  readonly onClose: () => void
  readonly size?: 'small' | 'medium' | 'large'
  /** Requires an answer first; screen readers announce it at once. */
  readonly alert?: boolean
  /** Read-only: no control takes the focus, so the dialog itself does and can be scrolled by keyboard. */
  readonly read?: boolean
  /** Buttons at the bottom, the primary one first. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A titled dialog: it traps the focus, closes on Escape, and returns the focus to its opener. */
export function Dialog({
  title,
  isOpen = true,
  onClose,
  size = 'medium',
  alert = false,
  read = false,
  actions,
  children,
}: DialogProps) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={`modal ${size}`}>
        <Spoken className="dialog" role={alert ? 'alertdialog' : 'dialog'}>
          <header className="dialog-head">
            <Heading slot="title">{title}</Heading>
            <Press className="button quiet icon-only" aria-label="Close dialog" onPress={onClose}>
              <Icon of={IconX} />
            </Press>
          </header>
          <div className="dialog-body" {...(read ? { tabIndex: 0, role: 'group', 'aria-label': title } : {})}>
            {children}
          </div>
          {actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
        </Spoken>
      </Modal>
    </ModalOverlay>
  )
}
