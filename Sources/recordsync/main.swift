print("recordsync")
