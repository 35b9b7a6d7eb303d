"""What judging took, and how runs went: the spend ledger and the run history."""
